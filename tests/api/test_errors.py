"""Errors: their hierarchy, messages, and mapping from engine status codes."""

from __future__ import annotations

import pickle

import pytest
from samples import COUNTER

import pycoro
from pycoro import _core, errors

PASSES = "coro-early,cgscc(coro-split),coro-cleanup"


def test_every_error_status_has_a_class() -> None:
    failing = [name for name, _, _ in _core.STATUSES if name not in ("OK", "ENOMEM")]
    classes = [type(errors.error_for_status(name, ())) for name in failing]
    assert len(set(classes)) == len(failing)
    for name, cls in zip(failing, classes, strict=True):
        assert cls.status == name
        assert issubclass(cls, pycoro.Error)
        assert cls.__name__ in pycoro.__all__


def test_exit_statuses_equal_the_engine_s() -> None:
    assert {name: errors.error_for_status(name, ()).exit_status for name in ("EPARSE", "EPIPELINE", "EBUG")} == {
        "EPARSE": 1,
        "EPIPELINE": 2,
        "EBUG": 3,
    }


def test_str_has_message_location_and_fix() -> None:
    diagnostic = pycoro.Diagnostic(
        "there are two final suspends", "make one of them not final", "f", "%b", "  %s = call i8 @llvm.coro.suspend()"
    )
    error = pycoro.RejectedError("", [diagnostic, pycoro.Diagnostic("so be it", severity="warning")])
    assert str(error) == (
        "there are two final suspends\n"
        "  in @f, block %b: %s = call i8 @llvm.coro.suspend()\n"
        "  hint: make one of them not final\n"
        "warning: so be it"
    )
    assert error.message == "there are two final suspends"
    assert error.diagnostics[0] is diagnostic
    assert str(pycoro.ClosedError("the module was closed")) == "the module was closed"
    assert str(pycoro.Diagnostic("m", function="f")) == "m\n  in @f"


def test_an_error_without_diagnostics_still_says_something() -> None:
    for name, _, text in _core.STATUSES:
        if name not in ("OK", "ENOMEM"):
            assert str(errors.error_for_status(name, ())) == text


def test_errors_travel_between_processes() -> None:
    with pytest.raises(pycoro.ParseError) as caught:
        pycoro.Module("define @f")
    there = pickle.loads(pickle.dumps(caught.value))
    assert type(there) is pycoro.ParseError
    assert str(there) == str(caught.value)
    assert there.diagnostics == caught.value.diagnostics


@pytest.mark.parametrize("source", ["this is not IR", "define i32 @f() {", b"BC\xc0\xde and then nothing", b"\x00\xff"])
def test_non_ir_input_is_a_parse_error(source: str | bytes) -> None:
    with pytest.raises(pycoro.ParseError) as caught:
        pycoro.Module(source)
    assert caught.value.diagnostics
    assert caught.value.message


def test_broken_ir_that_makes_llvms_reader_abort() -> None:
    module = """
        declare i1 @llvm.coro.end(ptr, i1, token)
        define void @f() {
          %e = call i1 @llvm.coro.end(ptr null, i1 false, token none)
          ret void
        }
        !llvm.module.flags = !{!0}
        !0 = !{i32 2, !"Debug Info Version", i32 3}
    """
    with pytest.raises((pycoro.ParseError, pycoro.VerifyError)):
        pycoro.Module(module)


def test_wrong_arguments_are_type_errors() -> None:
    with pytest.raises(TypeError):
        _core.Module("text")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        _core.Module()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        _core.Report()
    with pytest.raises(TypeError):
        type("Mine", (_core.Module,), {})


def test_looking_up_a_missing_function() -> None:
    with pytest.raises(pycoro.UsageError, match="nothing"):
        _core.Module(COUNTER.encode()).explain("nothing")


def test_an_abi_that_is_no_tuple_is_rejected(module: pycoro.Module) -> None:
    with pytest.raises(TypeError, match="an ABI must be a tuple of"):
        module._core.run(PASSES, abis=(1,))


def test_every_failed_allocation_is_a_memory_error(module: pycoro.Module) -> None:
    before = str(module)
    lowered = str(pycoro.lower(module).module)
    failed = 0
    for n in range(1, 100_000):
        try:
            module._core.run(PASSES, fail_allocation=n)
        except MemoryError:
            failed += 1
            assert str(module) == before
        else:
            break
    assert failed
    assert str(module) == lowered


class Broken:
    """A core that fails internally."""

    def run(self, *_: object, **__: object) -> None:
        raise errors.error_for_status("EBUG", ())

    def text(self) -> str:
        return "; the IR"


def test_an_internal_error_carries_the_ir() -> None:
    module = pycoro.Module("")
    module._core = Broken()  # type: ignore[assignment]
    with pytest.raises(pycoro.InternalError) as caught:
        module.run(PASSES)
    assert caught.value.ir == "; the IR"


@pytest.mark.parametrize("end", ["i1 @llvm.coro.end(ptr, i1)", "i1 @llvm.coro.end(ptr, i1, token)"])
def test_an_older_coro_end_names_the_command_that_converts_it(end: str) -> None:
    given = "ptr null, i1 false" + (", token none" if "token" in end else "")
    ir = f"declare {end}\ndefine void @f() {{\n  %e = call i1 @llvm.coro.end({given})\n  ret void\n}}"
    with pytest.raises(pycoro.Error, match="pycoro upgrade converts this"):
        pycoro.Module(ir)
    pycoro.Module(ir, upgrade=True).verify()


def test_a_long_source_line_is_cut_between_characters() -> None:
    for before in range(388, 394):
        with pytest.raises(pycoro.ParseError) as raised:
            pycoro.Module("define void @f() {\n  bad " + "a" * before + "\u00e9\u20ac\U0001f600" * 3 + " x\n}\n")
        line = raised.value.diagnostics[0].instruction
        assert "bad aaa" in line and 396 < len(line.encode()) <= 400  # encode() raises for lone surrogates


@pytest.mark.parametrize(("label", "shown"), [('"a b"', '%"a b"'), ("a.b-1_C", "%a.b-1_C"), ('"1st"', '%"1st"'), ("0", "%0")])
def test_a_block_has_the_label_that_llvm_prints(label: str, shown: str) -> None:
    ir = f"""declare token @llvm.coro.id(i32, ptr, ptr, ptr)
define token @f() {{
{label}:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  ret token %id
}}
declare ptr @llvm.coro.begin(token, ptr)
"""
    with pytest.raises(pycoro.RejectedError) as raised:
        pycoro.Module(ir.replace("define token", "define ptr").replace("ret token %id", "ret ptr %handle")).run("cgscc(coro-split)")
    assert raised.value.diagnostics[0].block == shown
