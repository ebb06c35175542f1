"""LLVM's spelling of types and signatures: every text is accepted or raises `pycoro.Error`."""

from __future__ import annotations

import pytest

import pycoro
from pycoro._calltype import parse_call_type
from pycoro.running.kinds import host_kinds

WITHOUT_VALUES = [
    "<vscale x 4 x i32>",
    "[2 x <vscale x 4 x i32>]",
    "{ <vscale x 4 x i32>, <vscale x 4 x i32> }",
    'target("aarch64.svcount")',
    'target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0)',
    'target("riscv.vector.tuple", <vscale x 8 x i8>, 2)',
    '[3 x target("spirv.Layout(", i32)]',
    "ptr addrspace(1)",
    "x86_amx",
    "%opaque",
    '%"a struct, of ( two )"',
    "[18446744073709551615 x i8]",
    "[4294967296 x [4294967296 x {}]]",
    "[1048576 x [1048576 x i8]]",
    "<4294967295 x i64>",
    "<4 x i1>",
    "<2 x i24>",
    "x86_fp80",
]


@pytest.mark.parametrize("kind", WITHOUT_VALUES)
def test_without_values(kind: str) -> None:
    with pytest.raises(pycoro.UsageError, match="is not a type with values in Python"):
        host_kinds().kind(kind)
    signature = host_kinds().signature(f"{kind} ({kind}, i32)")
    assert signature.result is None
    assert [type and type.text for type in signature.parameters] == [None, "i32"]
    assert signature.reason_if_unsupported()


@pytest.mark.parametrize("kind", [*WITHOUT_VALUES, "i32", "{ ptr, i32 }"])
def test_call_types(kind: str) -> None:
    call = parse_call_type(f"cc 8 signext {kind} ({kind} inreg, ptr byval({kind}), i1 zeroext)")
    assert (call.convention, call.result) == ("cc 8 signext", kind)
    assert call.parameters == (kind, "ptr", "i1")
    assert call.attributes == ("inreg", f"byval({kind})", "zeroext")


@pytest.mark.parametrize(
    "text", ["<", "<vscale", "<vscale x", "<x x i32>", "[a x i8]", "[4 x", 'target("', "target(", "[" * 5000, "<0 x i8>>"]
)
def test_invalid_types_are_errors(text: str) -> None:
    with pytest.raises(pycoro.UsageError):
        host_kinds().kind(text)


def test_nested_deeply() -> None:
    with pytest.raises(pycoro.UsageError):
        host_kinds().kind("[1 x " * 2000 + "i8" + "]" * 2000)


SCALABLE = """
define void @scaled(<vscale x 4 x i32> %v) { ret void }
define i32 @plain() { ret i32 5 }
define void @counted(target("aarch64.svcount") %c) { ret void }
"""


@pytest.mark.parametrize("name", ["scaled", "counted"])
def test_a_function_with_scalable_parameters(name: str) -> None:
    interpreter = pycoro.Interpreter(pycoro.Module(SCALABLE))
    assert interpreter.call("plain") == 5
    with pytest.raises(pycoro.Error):
        interpreter.call(name, 0)
