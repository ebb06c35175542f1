"""Modules without a target: they get this machine's layout, or are rejected where the difference matters."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import CLEANUP, PLAIN

import pycoro
from pycoro import _core

# A promise of 12 bytes by LLVM's default layout, and 16 on current machines.
PAIR = (
    """
%pair = type { i8, i64 }
define ptr @p() presplitcoroutine {
entry:
  %promise = alloca %pair
  %id = call token @llvm.coro.id(i32 16, ptr %promise, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store i8 1, ptr %promise
  %second = getelementptr %pair, ptr %promise, i32 0, i32 1
  store i64 2, ptr %second
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %cleanup
                             i8 1, label %cleanup ]
"""
    + CLEANUP
    + "declare ptr @malloc(i64)\ndeclare void @free(ptr)\n"
)
NAMES_NOTHING = 'target triple = "unknown-unknown-unknown"\ntarget datalayout = ""\n'


def machine() -> tuple[str, str]:
    engine = _core.Engine()
    return engine.triple, engine.data_layout


@pytest.mark.parametrize(
    "head", ["", NAMES_NOTHING, "; a comment\n", 'target triple = ""\n', f'target triple = "{machine()[0]}"\n']
)
def test_promises_have_the_host_s_offset(head: str) -> None:
    report = pycoro.lower(head + PAIR, host=True)
    with pycoro.Engine(report) as engine, engine.start("p") as handle:
        assert handle.promise == (1, 2) and list(handle) == [(1, 2)]


@pytest.mark.parametrize("head", ["", NAMES_NOTHING])
def test_a_layout_dependent_module_without_a_layout_is_rejected(head: str) -> None:
    with pytest.raises(pycoro.JitError, match=r"12 .*16 on this machine|unknown-unknown-unknown") as caught:
        pycoro.Engine(pycoro.lower(head + PAIR))
    assert "host=True" in str(caught.value) or head


@pytest.mark.parametrize("memory", ["%mixed", "[2 x %mixed]", "{ ptr, %mixed }"])
def test_offsets_of_elements_are_compared(memory: str) -> None:
    """The struct takes 24 bytes in both layouts, but its second element is at offset 4 by LLVM's default layout."""
    ir = f"%mixed = type {{ i8, i64, ptr }}\ndefine ptr @f() {{\n  %m = alloca {memory}\n  ret ptr %m\n}}\n"
    with pytest.raises(pycoro.JitError, match=r"has element 1 at offset 4 in .*, but 8 on the machine for which"):
        pycoro.Engine(pycoro.Module(ir))


def test_every_kind_of_input(tmp_path: Path) -> None:
    file = tmp_path / "plain.ll"
    file.write_text(PLAIN)
    plain = pycoro.Module(PLAIN)
    made = [
        pycoro.Module(source, host=True)
        for source in (PLAIN, PLAIN.encode(), plain, plain.bitcode(), file, pycoro.Module(PLAIN, host=True))
    ]
    made += [pycoro.Module.from_file(file, host=True), pycoro.Module.parse(PLAIN, host=True)]
    triple, layout = machine()
    for module in made:
        assert f'target triple = "{triple}"' in str(module) and f'target datalayout = "{layout}"' in str(module)
        with pycoro.Engine(module) as engine:
            assert engine.call("plain", 1) == 2


def test_modules_for_another_machine_are_errors() -> None:
    for head in ('target triple = "sparc-unknown-linux"\n', 'target datalayout = "e-p:32:32"\n'):
        with pytest.raises(pycoro.UsageError, match="; this machine has the"):
            pycoro.Module(head + PLAIN, host=True)


def test_lines_keep_their_numbers_in_errors() -> None:
    for host in (False, True):
        with pytest.raises(pycoro.ParseError, match="line 2, column 3"):
            pycoro.Module("define i32 @f() {\n  bogus\n}\n", host=host)


def test_errors_name_the_module_s_target() -> None:
    with pytest.raises(pycoro.UsageError, match="for the target 'sparc64-x-y'; this machine has the target") as raised:
        pycoro.Module('target triple = "sparc64-x-y"\n', host=True)
    assert "layout" not in str(raised.value), "it names none"
