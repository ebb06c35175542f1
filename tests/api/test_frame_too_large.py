"""Frames whose size does not fit llvm.coro.size are rejected and the module is unchanged; a truncated size would cause
writes past the memory."""

from __future__ import annotations

import pytest
from async_program import chain
from samples import COUNTER
from test_malformed_retcon import GENERATOR

import pycoro

PASSES = "coro-early,cgscc(coro-split),coro-cleanup"
SMALL, LARGE = 1_000, 5_000_000_000

KEEP = "declare void @keep(ptr)\n"
ASYNC = chain(3)
ASYNC_ID = "%id = call token @llvm.coro.id.async(i32 24, i32 16, i32 0, ptr @f1.fp)"
GENERATOR_32 = GENERATOR.replace("declare ptr @allocate(i64)", "declare ptr @allocate(i32)")
COUNTER_32 = (
    COUNTER.replace(
        "%size = call i64 @llvm.coro.size.i64()", "%narrow = call i32 @llvm.coro.size.i32()\n  %size = zext i32 %narrow to i64"
    )
    + "declare i32 @llvm.coro.size.i32()\n"
)


def with_local(text: str, id_call: str, after: str, size: int) -> str:
    """Add an alloca of that many bytes, live across a suspend."""
    text = text.replace(id_call, f"%large = alloca [{size} x i8]\n  {id_call}", 1)
    return text.replace(after, f"call void @keep(ptr %large)\n  {after}", 1) + KEEP


def counter(size: int, text: str = COUNTER) -> str:
    return with_local(text, "%id =", "%next = add i32 %i, 1", size)


def generator(size: int, text: str = GENERATOR) -> str:
    return with_local(text, "%id =", "%next = add i32 %i, 1", size)


def continuing(size: int) -> str:
    head, body = ASYNC.split(ASYNC_ID)
    for before in ("%back = call", "call void (ptr, i1, ...) @llvm.coro.end.async"):
        body = body.replace(before, f"call void @keep(ptr %large)\n  {before}", 1)
    return f"{head}%large = alloca [{size} x i8]\n  {ASYNC_ID}{body}{KEEP}"


CASES = [
    ("frame-size-fits", "@llvm.coro.size.i32", lambda size: counter(size, COUNTER_32)),
    ("frame-size-fits", "@llvm.coro.id.retcon", lambda size: generator(size, GENERATOR_32)),
    ("context-size-fits", "@llvm.coro.id.async", continuing),
]


@pytest.mark.parametrize(("rule", "place", "text"), CASES, ids=["switch", "retcon", "async"])
def test_a_size_that_does_not_fit_is_rejected(rule, place, text):
    pycoro.Module(text(SMALL)).run(PASSES)
    module = pycoro.Module(text(LARGE))
    before = str(module)
    with pytest.raises(pycoro.RejectedError) as caught:
        module.run(PASSES)
    assert str(module) == before
    first = caught.value.diagnostics[0]
    assert first.rule == rule
    assert place in first.instruction
    assert first.message and first.hint


@pytest.mark.parametrize("text", [counter, generator], ids=["switch", "retcon"])
def test_a_size_that_fits_is_accepted(text):
    module = pycoro.Module(text(LARGE))
    module.run(PASSES)
    assert "i64 50000000" in str(module)


@pytest.mark.parametrize("elements", [8, 16, 2**40])
@pytest.mark.parametrize("passes", [PASSES, PASSES.replace("split", "split<reuse-storage>")])
def test_a_frame_larger_than_the_address_space_is_rejected(elements, passes):
    """Its offsets would overflow; from 16 elements on, so would the product of size and count."""
    module = pycoro.Module(counter(2**60).replace(f"[{2**60} x i8]", f"[{2**60} x i8], i64 {elements}"))
    with pytest.raises(pycoro.RejectedError) as caught:
        module.run(passes)
    assert caught.value.diagnostics[0].rule == "frame-too-large"


def test_the_address_range_comes_from_the_target():
    layout = 'target datalayout = "e-p:32:32"\ntarget triple = "i386-unknown-linux-gnu"\n'
    pycoro.Module(layout + counter(SMALL)).run(PASSES)
    with pytest.raises(pycoro.RejectedError) as caught:
        pycoro.Module(layout + counter(LARGE)).run(PASSES)
    assert caught.value.diagnostics[0].rule == "frame-too-large"
