"""Frames of LLVM's lowering for a whole module, and comparisons of frames."""

from __future__ import annotations

import subprocess
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


def test_a_field_of_llvm_s_frame_alone_has_the_reason_why_ours_has_none():
    """LLVM spills %n and recomputes %next = add i32 %n, 1 after the suspend; pycoro spills %next."""
    coroutine = pycoro.Module(examples.COUNTER).coroutines["counter"]
    fields = {field.name: field for field in pycoro.diff(coroutine.llvm_frame(), coroutine.frame).fields}
    assert (fields["n"].what, fields["n"].why) == ("gone", "it is not used after a suspend")
    assert (fields["next"].what, fields["next"].why) == ("new", coroutine.frame["next"].why)
    assert fields["index"].why == "no index is stored, because only one suspend can be resumed"


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
