"""Thread-local variables in the JIT: each thread has a copy, and coroutines that transfer in a loop stay separate."""

from __future__ import annotations

import threading

import pytest

import pycoro
from pycoro import Engine

VARIABLES = """
@count = thread_local global i32 40, align 4
@zeros = internal thread_local global [3 x i64] zeroinitializer, align 32
declare ptr @llvm.threadlocal.address.p0(ptr)
define i32 @next() {
  %own = call ptr @llvm.threadlocal.address.p0(ptr @count)
  %old = load i32, ptr %own
  %new = add i32 %old, 1
  store i32 %new, ptr %own
  ret i32 %new
}
define i64 @add(i64 %by) {
  %own = call ptr @llvm.threadlocal.address.p0(ptr @zeros)
  %last = getelementptr i64, ptr %own, i64 2
  %old = load i64, ptr %last
  %new = add i64 %old, %by
  store i64 %new, ptr %last
  %address = ptrtoint ptr %own to i64
  %low = and i64 %address, 31
  %sum = add i64 %new, %low
  ret i64 %sum
}
"""
# Two coroutines transfer to each other; the slot holds the waiting one and the number of turns left.
PLAYERS = """
define ptr @player(ptr %slot) presplitcoroutine "disable-tail-calls"="true" {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %first = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %first, label %out [ i8 0, label %loop
                                 i8 1, label %cleanup ]
loop:
  %save = call token @llvm.coro.save(ptr %frame)
  call void @llvm.coro.await.suspend.handle(ptr %slot, ptr %frame, ptr @hand.over)
  %s = call i8 @llvm.coro.suspend(token %save, i1 false)
  switch i8 %s, label %out [ i8 0, label %loop
                             i8 1, label %cleanup ]
cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}
define ptr @hand.over(ptr %slot, ptr %self) {
  %left = getelementptr { ptr, i32, i32 }, ptr %slot, i32 0, i32 1
  %old = load i32, ptr %left
  %none = icmp eq i32 %old, 0
  br i1 %none, label %stop, label %go
stop:
  %nobody = call ptr @llvm.coro.noop()
  ret ptr %nobody
go:
  %new = sub i32 %old, 1
  store i32 %new, ptr %left
  %done = getelementptr { ptr, i32, i32 }, ptr %slot, i32 0, i32 2
  %before = load i32, ptr %done
  %after = add i32 %before, 1
  store i32 %after, ptr %done
  %other = load ptr, ptr %slot
  store ptr %self, ptr %slot
  ret ptr %other
}
define i32 @play(i32 %turns) {
  %slot = alloca { ptr, i32, i32 }
  %left = getelementptr { ptr, i32, i32 }, ptr %slot, i32 0, i32 1
  %done = getelementptr { ptr, i32, i32 }, ptr %slot, i32 0, i32 2
  store i32 %turns, ptr %left
  store i32 0, ptr %done
  %a = call ptr @player(ptr %slot)
  %b = call ptr @player(ptr %slot)
  store ptr %b, ptr %slot
  call void @llvm.coro.resume(ptr %a)
  %result = load i32, ptr %done
  call void @llvm.coro.destroy(ptr %a)
  call void @llvm.coro.destroy(ptr %b)
  ret i32 %result
}
declare ptr @malloc(i64)
declare void @free(ptr)
"""


@pytest.mark.parametrize("quick", [False, True])
def test_each_thread_has_separate_variables(quick: bool) -> None:
    with Engine(pycoro.Module(VARIABLES), quick=quick) as engine:
        seen: list[tuple[object, ...]] = []

        def work(by: int) -> None:
            seen.append((engine.call("next"), engine.call("next"), engine.call("add", by), engine.call("add", by)))

        for by in (1, 10):
            thread = threading.Thread(target=work, args=(by,))
            thread.start()
            thread.join()
        work(100)
        assert seen == [(41, 42, by, 2 * by) for by in (1, 10, 100)]
        assert engine.call("next") == 43


def test_external_thread_locals_are_rejected() -> None:
    for text in (
        VARIABLES.replace("global i32 40", "global i32").replace("@count = ", "@count = external "),
        "@x = thread_local global i32 0\ndefine i32 @f() {\n %v = load i32, ptr @x\n ret i32 %v\n}\n",
    ):
        with pytest.raises(pycoro.JitError, match="is thread-local"):
            Engine(pycoro.Module(text))


def test_coroutines_that_transfer_in_a_loop() -> None:
    """Half a million transfers in each of four threads, whose stacks hold a few thousand calls."""
    module = pycoro.Module(PLAYERS)
    pycoro.Pipeline("coro-early,cgscc(coro-split),coro-cleanup").run(module)
    assert "@player.transfer(" in str(module) and "musttail" not in str(module)
    with Engine(module) as engine:
        results: list[object] = []

        def work(turns: int) -> None:
            results.append(engine.call("play", turns))

        old = threading.stack_size(256 * 1024)
        try:
            threads = [threading.Thread(target=work, args=(500_000 + n,)) for n in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            threading.stack_size(old)
        assert sorted(results, key=str) == [500_000 + n for n in range(4)]
