"""Waves delete functions that elision leaves unused, but none that something else than a call still refers to."""

from __future__ import annotations

import pytest
from test_growth import awaited_chain

import pycoro

DEPTH = 24
PLACE = 17
"""The link of the chain that the reference concerns. A round of few functions, in a work module, deletes its ramp."""


def chain(function: str = "", module: str = "") -> str:
    """Return a chain of coroutines that may be dropped, except the first; with additions to one of them and the module."""
    text = awaited_chain(DEPTH).replace("define ptr @c", "define linkonce_odr ptr @c")
    text = text.replace("linkonce_odr ptr @c0(", "ptr @c0(")
    return text.replace(f"@c{PLACE}() presplitcoroutine", f"@c{PLACE}() presplitcoroutine {function}") + module


def lowered(text: str) -> pycoro.Module:
    module = pycoro.Module(text)
    module.run("default<O2>")
    module.verify()
    return module


def ramps(module: pycoro.Module) -> set[str]:
    return {name for name in module.functions if name in {f"c{i}" for i in range(DEPTH + 1)}}


def test_unused_ramps_are_deleted() -> None:
    left = ramps(lowered(chain()))
    assert f"c{PLACE}" not in left
    assert len(left) <= 2


@pytest.mark.parametrize(
    ("function", "module"),
    [
        ("", f'@llvm.used = appending global [1 x ptr] [ptr @c{PLACE}], section "llvm.metadata"\n'),
        ("", f'@llvm.compiler.used = appending global [1 x ptr] [ptr @c{PLACE}], section "llvm.metadata"\n'),
        ("", f"@other = alias ptr (), ptr @c{PLACE}\n"),
        ("", f"@chosen = ifunc void (), ptr @choose\ndefine ptr @choose() {{\n  ret ptr @c{PLACE}\n}}\n"),
        ("", f"@table = global [1 x ptr] [ptr @c{PLACE}]\n"),
        ("", f"@distance = global i64 sub (i64 ptrtoint (ptr @c{PLACE} to i64), i64 ptrtoint (ptr @c0 to i64))\n"),
        ("comdat($both)", "$both = comdat any\n@together = global i32 1, comdat($both)\n"),
        ("prefix ptr @own", f"@own = internal global ptr @c{PLACE}\n@it = global ptr @own\n"),
    ],
    ids=["used", "compiler-used", "alias", "ifunc", "table", "constant-expression", "comdat", "prefix"],
)
def test_functions_that_are_referred_to_remain(function: str, module: str) -> None:
    assert f"c{PLACE}" in ramps(lowered(chain(function, module)))


@pytest.mark.parametrize(
    ("function", "module"),
    [
        ("comdat", f"$c{PLACE} = comdat any\n"),
        ("comdat($both)", "$both = comdat any\n@together = internal global i32 1, comdat($both)\n"),
        ("", f"@unused = internal global [1 x ptr] [ptr @c{PLACE}]\n"),
        ("", f"define internal ptr @caller() {{\n  %h = call ptr @c{PLACE}()\n  ret ptr %h\n}}\n"),
    ],
    ids=["own-comdat", "dropped-comdat", "unused-variable", "unused-caller"],
)
def test_functions_that_only_unused_globals_refer_to_are_deleted(function: str, module: str) -> None:
    assert f"c{PLACE}" not in ramps(lowered(chain(function, module)))


def test_a_function_with_a_block_whose_address_is_stored_remains() -> None:
    helper = "define linkonce_odr void @helper() {\n  br label %block\n\nblock:\n  call void @use(i64 7)\n  ret void\n}\n"
    text = chain(module=f"{helper}@label = global ptr blockaddress(@helper, %block)\n")
    text = text.replace(f"call void @use(i64 {PLACE})", "call void @helper()")
    assert "helper" in lowered(text).functions
    assert "helper" not in lowered(text.replace("@label = global", "@label = internal global")).functions
