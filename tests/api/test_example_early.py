"""`examples/abis/early.py` splits coroutines before optimization; tests of the two bugs that motivated it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import pycoro

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "abis"))
import early

START = """
%pair = type { i64, i64 }
define ptr @f(PARAMETERS) presplitcoroutine {
entry:
VARIABLES
  %id = call token @llvm.coro.id(i32 0, ptr PROMISE, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %heap, label %begin
heap:
  %size = call i64 @llvm.coro.size.i64()
  %room = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %memory = phi ptr [ null, %entry ], [ %room, %heap ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %first = call i1 @coro.init()
  br i1 %first, label %init, label %ready
"""
END = """
cleanup:
  %mine = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %mine)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
@noted = global i64 0
define void @use(ptr %of) noinline {
  %second = getelementptr %pair, ptr %of, i64 0, i32 1
  %a = load i64, ptr %of
  %b = load i64, ptr %second
  %ten = mul i64 %a, 10
  %both = add i64 %ten, %b
  store i64 %both, ptr @noted
  ret void
}
declare i1 @coro.init()
declare void @coro.init.end()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare ptr @malloc(i64)
declare void @free(ptr)
"""

# A by-value parameter is copied, and the copy is copied after a suspend; the copies must not be merged.
BY_VALUE = (
    START.replace("PARAMETERS", "ptr byval(%pair) align 8 %val")
    .replace("VARIABLES", "  %copy = alloca %pair")
    .replace("PROMISE", "null")
    + """
init:
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %copy, ptr align 8 %val, i64 16, i1 false)
  call void @coro.init.end()
  br label %ready
ready:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %on
                             i8 1, label %cleanup ]
on:
  %local = alloca %pair
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %local, ptr align 8 %copy, i64 16, i1 false)
  call void @use(ptr %local)
  br label %cleanup
"""
    + END
    + """
define i64 @run() {
  %mine = alloca %pair
  %second = getelementptr %pair, ptr %mine, i64 0, i32 1
  store i64 4, ptr %mine
  store i64 2, ptr %second
  %handle = call ptr @f(ptr byval(%pair) align 8 %mine)
  store i64 9, ptr %mine
  call void @llvm.coro.resume(ptr %handle)
  %noted = load i64, ptr @noted
  ret i64 %noted
}
"""
)

# A pointer selects one of two allocas at the start; both live across a suspend, and one is the promise.
CHOSEN = (
    START.replace("PARAMETERS", "i1 %which")
    .replace("VARIABLES", "  %promise = alloca %pair\n  %other = alloca %pair\n  %chosen = alloca ptr")
    .replace("PROMISE", "%promise")
    + """
init:
  store %pair { i64 1, i64 2 }, ptr %promise
  store %pair { i64 3, i64 4 }, ptr %other
  br i1 %which, label %left, label %right
left:
  br label %join
right:
  br label %join
join:
  %place = phi ptr [ %promise, %left ], [ %other, %right ]
  store i64 7, ptr %place
  store ptr %place, ptr %chosen
  call void @coro.init.end()
  br label %ready
ready:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %on
                             i8 1, label %cleanup ]
on:
  %at = load ptr, ptr %chosen
  call void @use(ptr %at)
  br label %cleanup
"""
    + END
    + "".join(
        f"""
define i64 @run{number}() {{
  %handle = call ptr @f(i1 {which})
  call void @llvm.coro.resume(ptr %handle)
  %noted = load i64, ptr @noted
  ret i64 %noted
}}
"""
        for number, which in enumerate(("false", "true"))
    )
)


def numbers(module: pycoro.Module, *names: str) -> list[int]:
    with pycoro.Engine(module) as engine:
        return [int(engine[name]()) for name in names]


@pytest.mark.parametrize(("text", "names", "wanted"), [(BY_VALUE, ("run",), [42]), (CHOSEN, ("run0", "run1"), [74, 72])])
def test_lowering_preserves_behavior(text: str, names: tuple[str, ...], wanted: list[int]) -> None:
    whole = text.replace("%first = call i1 @coro.init()", "%first = icmp eq i32 0, 0").replace("  call void @coro.init.end()\n", "")
    plain = pycoro.Module(whole, host=True)
    plain.run("coro-early,cgscc(coro-split),coro-cleanup")
    assert numbers(plain, *names) == wanted
    assert numbers(early.lower(pycoro.Module(text, host=True)), *names) == wanted


@pytest.mark.parametrize("text", [BY_VALUE, CHOSEN], ids=["by-value", "chosen"])
def test_no_optimizer_sees_code_on_both_sides_of_a_suspend(text: str) -> None:
    apart, (one,) = early.take_apart(pycoro.Module(text, host=True))
    apart.verify()
    start, ramp = str(apart.functions["f"]), str(apart.functions["f.ramp"])
    assert "coro.suspend" not in start
    assert not re.search(r"coro\.(begin|alloc|id)\(|%val|%which", ramp)
    assert (one.promise == 0) == (text is CHOSEN)
    apart.run(early.BETWEEN)
    early.put_together(apart, [one])
    apart.verify()
    assert "coro.frame.get(ptr %" not in str(apart.functions["f"])
    assert bool(apart.coroutines["f"].shape.promise) == (text is CHOSEN)
