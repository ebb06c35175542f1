"""Several modules linked into one and lowered together."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from samples import COUNTER

import pycoro
from pycoro import reporting

TRIPLE = 'target triple = "{}"\n'
LAYOUT = 'target datalayout = "{}"\n'
USER = """
declare ptr @counter(i32)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
define i32 @main() {
  %h = call ptr @counter(i32 3)
  call void @llvm.coro.resume(ptr %h)
  call void @llvm.coro.destroy(ptr %h)
  ret i32 0
}
"""
LOWER = "coro-early,cgscc(coro-split),coro-cleanup"


def module(ir: str, name: str) -> pycoro.Module:
    return pycoro.Module(ir, name=name)


def test_linking_does_not_change_the_inputs():
    parts = [module(COUNTER, "counter.ll"), module(USER, "user.ll")]
    before = [str(part) for part in parts]
    whole = pycoro.link(parts, name="whole")
    assert whole.name == "whole"
    assert not whole.functions["counter"].is_declaration and not whole.functions["main"].is_declaration
    assert [str(part) for part in parts] == before
    with whole, pycoro.Engine(whole.run(LOWER).module, externals={"print": print}):
        pass


def test_modules_of_all_features_link(tmp_path):
    (tmp_path / "counter.ll").write_text(COUNTER)
    whole = pycoro.link([tmp_path / "counter.ll", module(USER, "user").bitcode()])
    assert set(whole.coroutines) == {"counter"}
    assert str(pycoro.link([COUNTER])) != "", "one module is linked to a copy of itself"
    assert pickle.loads(pickle.dumps(whole)).functions.keys() == whole.functions.keys()


def test_a_pipeline_runs_on_several_modules():
    parts = [module(COUNTER, "a"), module(USER, "b")]
    report = pycoro.Pipeline(LOWER).run(parts)
    assert "counter.resume" in report.module.functions
    assert all(part.functions["counter"].is_presplit == (part is parts[0]) for part in parts)
    assert list(report.coroutines) == ["counter"]


@pytest.mark.parametrize("level", ["O2", "O3", "Os", "Oz"])
def test_a_frame_is_elided_in_a_caller_that_was_in_another_module(level):
    parts = [module(COUNTER, "a"), module(USER, "b")]
    report = pycoro.Pipeline.level(level, "lto").run(parts)
    assert [(e.caller, e.callee) for e in report.elisions if e.elided] == [("main", "counter")]


def test_internal_functions_of_one_name_stay_separate():
    ir = "define internal i32 @same() {{ ret i32 {0} }}\ndefine i32 @get{0}() {{ %x = call i32 @same()\n ret i32 %x }}"
    with pycoro.Engine(pycoro.link([ir.format(1), ir.format(2)])) as engine:
        assert [engine[f"get{number}"]() for number in (1, 2)] == [1, 2]


def test_equal_types_are_merged():
    ir = "%pair = type {{ i32, ptr }}\ndefine void @{0}(ptr byval(%pair) %p) {{ ret void }}"
    assert str(pycoro.link([ir.format("a"), ir.format("b")])).count("= type {") == 1


# ---- Conflicts


def test_duplicate_definitions_name_both_modules():
    with pytest.raises(pycoro.LinkError, match=r"@counter is defined in both a\.ll and c\.ll") as caught:
        pycoro.link([module(COUNTER, "a.ll"), module(USER, "b.ll"), module(COUNTER, "c.ll")])
    assert (caught.value.diagnostics[0].rule, caught.value.exit_status) == ("link-defined-once", 1)
    with pytest.raises(pycoro.LinkError, match="@g is defined in both a and b"):
        pycoro.link([module("@g = global i32 0", "a"), module("@g = global i32 0", "b")])


@pytest.mark.parametrize(
    ("what", "one", "other"),
    [(TRIPLE, "x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"), (LAYOUT, "e-p:64:64", "e-p:32:32")],
    ids=["target", "layout"],
)
def test_modules_need_one_target(what, one, other):
    with pytest.raises(pycoro.LinkError) as caught:
        pycoro.link([module("", "free"), module(what.format(one), "one"), module(what.format(other), "other")])
    assert f"one has the {'target' if what == TRIPLE else 'data layout'} {one}, but other has {other}" in str(caught.value)
    assert what.format(one).strip() in str(pycoro.link([module("", "free"), module(what.format(one), "one")]))


def test_conflicting_module_flags():
    flag = '!llvm.module.flags = !{{!0}}\n!0 = !{{i32 1, !"wchar_size", i32 {}}}'
    with pytest.raises(pycoro.LinkError, match="b does not link with the modules before it: .*wchar_size"):
        pycoro.link([module(flag.format(4), "a"), module(flag.format(2), "b")])


def test_a_global_of_two_types():
    with pytest.raises(pycoro.LinkError, match="b does not link with the modules before it"):
        pycoro.link([module("@g = appending global [1 x i32] zeroinitializer", "a"), module("@g = global i32 1", "b")])


def test_wrong_arguments():
    with pytest.raises(pycoro.UsageError, match="at least one module"):
        pycoro.link([])
    with pytest.raises(TypeError, match="a list of modules"):
        pycoro.link(COUNTER)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a list of modules"):
        pycoro.link(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="IR must be a str or bytes"):
        pycoro.link([3])
    one = module(COUNTER, "one")
    with pytest.raises(pycoro.UsageError, match="twice"):
        pycoro.link([one, one])
    one.close()
    with pytest.raises(pycoro.ClosedError):
        pycoro.link([module(USER, "user"), one])


def test_inputs_are_released_if_one_is_closed():
    first, closed = module(COUNTER, "first"), module(USER, "closed")
    closed.close()
    for _ in range(2):
        with pytest.raises(pycoro.ClosedError):
            pycoro.link([first, closed])
    assert first.functions


# ---- The command


def call(*arguments: str, at: Path) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "pycoro", "link", *arguments]
    done = subprocess.run(command, cwd=at, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "a.ll").write_text(COUNTER)
    (tmp_path / "b.bc").write_bytes(module(USER, "b").bitcode())
    (tmp_path / "torn.ll").write_text("torn")
    (tmp_path / "verify.ll").write_text("define i32 @g() {\n  %x = add i32 %x, 1\n  ret i32 %x\n}\n")
    return tmp_path


def test_the_command_links_and_lowers(place):
    assert call("a.ll", "b.bc", f"-passes={LOWER}", "-o", "out.bc", "--report=units", at=place) == (0, "", "")
    whole = pycoro.Module.from_file(place / "out.bc")
    assert {"main", "counter", "counter.resume"} <= set(whole.functions)
    assert len(reporting.read_project(place / "units").entries) == 1


@pytest.mark.parametrize("level", ["O1", "O2", "O3", "Os", "Oz"])
def test_an_optimization_level_inlines_elided_coroutines(place, level):
    status, out, err = call("a.ll", "b.bc", f"-{level}", "-S", at=place)
    assert (status, err) == (0, "")
    main = pycoro.Module(out).functions["main"]
    assert not {"counter", "malloc"} & {i.callee.name for b in main.blocks for i in b.instructions if i.opcode == "call"}


def test_the_command_links_without_passes(place):
    status, out, err = call("a.ll", "b.bc", "-S", at=place)
    assert (status, err) == (0, "")
    assert set(pycoro.Module(out).coroutines) == {"counter"}


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("a.ll", "a.ll"), 1, "@counter is defined in both a.ll and a.ll"),
        (("a.ll", "nowhere.bc"), 1, "nowhere.bc: No such file"),
        (("a.ll", "torn.ll"), 1, "torn.ll:1:1: error: expected top-level entity\n  --> "),
        (
            ("a.ll", "verify.ll"),
            1,
            "verify.ll:2:3: error: Only PHI nodes may reference their own value!\n  --> @g, %0: ",
        ),
        (("a.ll", "b.bc", "-passes=coro-spilt"), 2, "coro-spilt"),
        ((), 2, "IN"),
        (("-", "-"), 2, "stdin (-) can be used only once"),
    ],
)
def test_the_command_reports_errors(place, arguments, status, said):
    found, out, err = call(*arguments, "-o", "out.bc", at=place)
    assert (found, out) == (status, "")
    assert said in err
    assert not (place / "out.bc").exists()
