"""Frames of LLVM's lowering for a whole module, and comparisons of frames."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from samples import COUNTER, join_modules

import pycoro
from pycoro import examples, llvm_frame

EXAMPLES = Path(__file__).parents[2] / "docs/examples"


@pytest.fixture
def runs(monkeypatch):
    """The pipelines that LLVM ran in a child process."""
    found = []
    lower = llvm_frame._lowered_by_llvm

    def counted(ir, passes):
        found.append(passes)
        return lower(ir, passes)

    monkeypatch.setattr(llvm_frame, "_lowered_by_llvm", counted)
    return found


@pytest.fixture
def copies():
    return pycoro.Module(join_modules(*(COUNTER.replace("@counter", f"@counter{n}") for n in range(3))))


def test_llvm_lowers_a_module_once(copies, runs):
    frames = copies.coroutines.llvm_frames()
    assert list(frames) == ["counter0", "counter1", "counter2"]
    assert {(frame.size, frame.fields) for frame in frames.values()} == {(32, frames["counter0"].fields)}
    assert [frame.function for frame in frames.values()] == list(frames)
    assert all(coroutine.llvm_frame() == frames[coroutine.name] for coroutine in copies.coroutines.values())
    assert len(runs) == 1
    copies.coroutines["counter1"].llvm_frame(reuse_storage=True)
    assert len(runs) == 2
    copies.run("coro-early")
    copies.coroutines["counter1"].llvm_frame()
    assert len(runs) == 3, "the module changed"


def test_malformed_coroutines_are_left_out(copies, runs):
    """LLVM's lowering ends at them, so it runs without their bodies."""
    two_final = COUNTER.replace("@counter", '@"a bad one"').replace("i1 false)", "i1 true)")
    module = pycoro.Module(join_modules(*(COUNTER.replace("@counter", f"@counter{n}") for n in range(3)), two_final))
    assert [row["name"] for row in module.coroutines.rows() if "rejected" in row] == ["a bad one"]
    assert module.coroutines.llvm_frames() == copies.coroutines.llvm_frames()
    assert module.coroutines["counter1"].llvm_frame() == copies.coroutines["counter1"].llvm_frame()
    assert len(runs) == 2
    assert pycoro.Module(two_final).coroutines.llvm_frames() == {}
    assert len(runs) == 2, "nothing to lower"


def test_the_frames_of_a_preview_share_memory_as_the_preview_does(runs):
    module = pycoro.Module(EXAMPLES / "steps.ll")
    shared = module.preview(pycoro.CoroSplit(reuse_storage=True))
    shared["steps"].llvm_frame()
    assert list(shared.llvm_frames()) == ["steps"]
    module.coroutines["steps"].llvm_frame()
    assert runs == [llvm_frame.REUSING, llvm_frame.PASSES]
    with pytest.raises(TypeError, match="reuse_storage must be a bool"):
        shared.llvm_frames(reuse_storage=1)


@pytest.mark.parametrize(("comment", "seconds"), [(0, 60), (2_000_000, 180)])
def test_the_clock_of_llvm_s_lowering_grows_with_the_module(comment, seconds, monkeypatch):
    """A metadata string adds the bytes to the text."""
    module = pycoro.Module(f'{COUNTER}\n!padding = !{{!0}}\n!0 = !{{!"{"x" * comment}"}}\n')

    def late(command, **options):
        raise subprocess.TimeoutExpired(command, options["timeout"])

    monkeypatch.setattr(subprocess, "run", late)
    with pytest.raises(pycoro.UnsupportedError, match=f"LLVM did not lower the module within {seconds} seconds"):
        module.coroutines.llvm_frames()


def test_a_difference_to_llvm_s_frame_has_the_reasons_of_both_sides():
    module = pycoro.Module(EXAMPLES / "walk.ll")
    module.run("coro-early")
    (coroutine,) = module.coroutines.values()
    difference = pycoro.diff(coroutine.llvm_frame(), coroutine.frame)
    assert (difference.size_before, difference.size_after, difference.bytes) == (32, 24, -8)
    rows = {row["name"]: row for row in difference.rows()}
    assert rows["y"]["why"] == coroutine.frame["%y"].why
    assert rows["index"]["what"] == "gone" and "only one suspend" in rows["index"]["why"]
    assert "- index: offset 24, 1 byte (no index is stored" in str(difference)
    assert "32 → 24 bytes (-8)" in difference._repr_mimebundle_()["text/html"]
    back = pycoro.diff(coroutine.frame, coroutine.llvm_frame())
    assert back.bytes == 8 and {row["name"]: row["what"] for row in back.rows()}["index"] == "new"
    assert back.to_dict()["fields"] == back.rows()


def test_a_difference_has_the_variables_of_the_source():
    coroutine = pycoro.Module.from_file(EXAMPLES.parents[1] / "notebooks/triangle.ll").coroutines["triangle"]
    difference = pycoro.diff(coroutine.llvm_frame(), coroutine.frame)
    assert {row["name"]: row["variable"] for row in difference.rows()}["10"] == "last"
    assert "last (%10): offset" in str(difference) and "last (%10)" in difference._repr_mimebundle_()["text/html"]


def test_a_field_of_llvm_s_frame_alone_has_the_reason_why_ours_has_none():
    """LLVM spills %n and recomputes %next = add i32 %n, 1 after the suspend; pycoro spills %next."""
    coroutine = pycoro.Module(examples.COUNTER).coroutines["counter"]
    fields = {field.name: field for field in pycoro.diff(coroutine.llvm_frame(), coroutine.frame).fields}
    assert (fields["n"].what, fields["n"].why) == ("gone", "it is not used after a suspend")
    assert (fields["next"].what, fields["next"].why) == ("new", coroutine.frame["next"].why)
    assert fields["index"].why == "no index is stored, because only one suspend can be resumed"


UNNAMED = """
define ptr @f(ptr %m) presplitcoroutine {
  %1 = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %2 = call ptr @llvm.coro.begin(token %1, ptr %m)
  %3 = call i32 @g()
  %4 = call i64 @h()
  %5 = call i32 @g()
  %"9" = call i32 @g()
  %"a\\22b" = call i64 @h()
  %again = add i32 %3, 1
  %6 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %6, label %out [ i8 0, label %a
                             i8 1, label %out ]
a:
  call void @u(i32 %3, i64 %4, i32 %5, i32 %"9", i64 %"a\\22b")
  br label %out
out:
  call void @llvm.coro.end(ptr %2, i1 false, token none)
  ret ptr %2
}
declare i32 @g()
declare i64 @h()
declare void @u(i32, i64, i32, i32, i64)
"""


def test_values_without_a_name_are_matched_by_type_and_order():
    """LLVM's code has no name for their fields; %"9" and %"a\\22b" are names."""
    coroutine = pycoro.Module(UNNAMED).coroutines["f"]
    ours, llvm = coroutine.frame, coroutine.llvm_frame()
    assert len(llvm.fields) == len(ours.fields) + 1 and [field.name for field in llvm.fields].count("") == 3
    for difference in (pycoro.diff(llvm, ours), pycoro.diff(ours, llvm)):
        (index,) = (field for field in difference.fields if field.what in ("new", "gone"))
        assert index.name == "index" and len(difference.fields) == len(llvm.fields)
        sizes = {field.name: (field.size_before, field.size_after) for field in difference.fields}
        assert [sizes[name] for name in ("3", "4", "5")] == [(4, 4), (8, 8), (4, 4)]
    assert len(pycoro.diff(llvm, llvm).fields) == len(llvm.fields) and not pycoro.diff(llvm, llvm)


def test_a_field_of_llvm_s_frame_alone_may_have_no_name():
    coroutine = pycoro.Module(UNNAMED).coroutines["f"]
    empty = replace(coroutine.llvm_frame(), fields=())
    difference = pycoro.diff(coroutine.llvm_frame(), empty)
    assert len(difference.fields) == len(coroutine.llvm_frame().fields)
    assert str(difference).count("- (unnamed): offset ") == 3
    assert difference._repr_mimebundle_()["text/html"].count(">(unnamed)<") == 3


def test_two_of_our_frames_compare_by_variable_or_name():
    module = pycoro.Module(EXAMPLES / "steps.ll")
    frame = module.coroutines["steps"].frame
    shared = module.preview(pycoro.CoroSplit(reuse_storage=True))["steps"].frame
    difference = pycoro.diff(frame, shared)
    assert difference.bytes == -32 and difference
    assert [field.name for field in difference.fields if field.what == "moved"] == ["second", "scale", "index"]
    assert "~ second: offset 80 -> 32, 32 bytes" in str(difference)
    assert not pycoro.diff(frame, frame)
    assert repr(difference) == "<FrameDiff of @steps: 128 -> 96 bytes>"
    record = pycoro.lower(EXAMPLES / "steps.ll").coroutines["steps"].frame
    assert not pycoro.diff(frame, record)


def test_a_frame_compares_with_frames_only():
    module = pycoro.Module(examples.COUNTER)
    with pytest.raises(TypeError, match="diff\\(\\) compares a frame with a Frame or an LLVMFrame"):
        pycoro.diff(module.coroutines["counter"].frame, module)
