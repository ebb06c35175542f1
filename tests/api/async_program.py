"""Async coroutines as text, and an executor that runs them from a queue and checks the canaries around their contexts."""

from __future__ import annotations

import collections
import ctypes
from collections.abc import Callable, Mapping
from types import MappingProxyType

import pycoro
from pycoro.engine import Engine
from pycoro.oracle import for_host

PASSES = "coro-early,cgscc(coro-split),coro-cleanup"

# A context is {caller's context, caller's resume function, argument and then result}.
SUPPORT = """
%context = type { ptr, ptr, i64 }
declare ptr @task_alloc(i64)
declare void @task_dealloc(ptr)
declare void @enqueue(ptr, ptr)
declare void @finished(i64)
declare token @llvm.coro.id.async(i32, i32, i32, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.async.resume()
declare { ptr } @llvm.coro.suspend.async.sl_p0s(i32, ptr, ptr, ...)
declare void @llvm.coro.end.async(ptr, i1, ...)

define ptr @caller_of(ptr %context) alwaysinline {
  %caller = load ptr, ptr %context
  ret ptr %caller
}
define ptr @the_same(ptr %context) alwaysinline {
  ret ptr %context
}
define internal swifttailcc void @transfer(ptr %function, ptr %context) {
  musttail call swifttailcc void %function(ptr swiftasync %context)
  ret void
}
define internal swifttailcc void @give_way(ptr %resume, ptr %context) {
  call void @enqueue(ptr %resume, ptr %context)
  ret void
}
define swifttailcc void @root(ptr swiftasync %context) {
  %place = getelementptr inbounds %context, ptr %context, i32 0, i32 2
  %result = load i64, ptr %place
  call void @finished(i64 %result)
  ret void
}
define void @run(ptr %function, ptr %context) {
  call swifttailcc void %function(ptr swiftasync %context)
  ret void
}
"""

BEGIN = """
@$f.fp = global <{ i32, i32 }> <{ i32 0, i32 24 }>
define swifttailcc void @$f(ptr swiftasync %context) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.async(i32 24, i32 16, i32 0, ptr @$f.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %place = getelementptr inbounds %context, ptr %context, i32 0, i32 2
  %n = load i64, ptr %place
"""

# Uses %more, the callee's argument; defines %given, the callee's result.
AWAIT = """
  %size.at = getelementptr inbounds <{ i32, i32 }>, ptr @$callee.fp, i32 0, i32 1
  %size.short = load i32, ptr %size.at
  %size = zext i32 %size.short to i64
  %callee = call ptr @task_alloc(i64 %size)
  store ptr %context, ptr %callee
  %back = call ptr @llvm.coro.async.resume()
  %back.at = getelementptr inbounds %context, ptr %callee, i32 0, i32 1
  store ptr %back, ptr %back.at
  %argument.at = getelementptr inbounds %context, ptr %callee, i32 0, i32 2
  store i64 %more, ptr %argument.at
  %came = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %back, ptr @caller_of,
                                                                          ptr @transfer, ptr @$callee, ptr %callee)
  %from = extractvalue { ptr } %came, 0
  %result.at = getelementptr inbounds %context, ptr %from, i32 0, i32 2
  %given = load i64, ptr %result.at
  call void @task_dealloc(ptr %callee)
"""

GIVE_WAY = """
  %again = call ptr @llvm.coro.async.resume()
  %later = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %again, ptr @the_same,
                                                                           ptr @give_way, ptr %again, ptr %context)
"""

# Uses %all, the result.
END = """
  store i64 %all, ptr %place
  %caller.at = getelementptr inbounds %context, ptr %context, i32 0, i32 1
  %caller = load ptr, ptr %caller.at
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false, ptr @transfer, ptr %caller, ptr %context)
  unreachable
}
"""

# Values of several types, and an alloca, live across two suspends.
LINK = (
    BEGIN
    + """
  %variable = alloca [3 x i64], align 8
  store i64 %n, ptr %variable
  %third = getelementptr inbounds [3 x i64], ptr %variable, i64 0, i64 2
  %thrice = mul i64 %n, 3
  store i64 %thrice, ptr %third
  %wide = sitofp i64 %n to double
  %rest = frem double %wide, 2.0
  %small = trunc i64 %n to i8
  %more = add i64 %n, 1
"""
    + AWAIT
    + GIVE_WAY
    + """
  %kept = load i64, ptr %variable
  %kept.too = load i64, ptr %third
  %rest.whole = fptosi double %rest to i64
  %small.whole = zext i8 %small to i64
  %1 = add i64 %given, %kept
  %2 = add i64 %1, %kept.too
  %3 = add i64 %2, %rest.whole
  %all = add i64 %3, %small.whole
"""
    + END
)

# Suspends in a loop, as many times as its argument says.
LEAF = (
    BEGIN
    + """
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %all, %loop ]
"""
    + GIVE_WAY
    + """
  %all = add i64 %sum, %i
  %next = add i64 %i, 1
  %on = icmp slt i64 %next, %n
  br i1 %on, label %loop, label %out
out:
"""
    + END
)


def chain(depth: int) -> str:
    """Return `depth` coroutines, each awaiting the next."""
    links = [LINK.replace("$f", f"f{k}").replace("$callee", f"f{k + 1}") for k in range(1, depth)]
    return SUPPORT + "".join(links) + LEAF.replace("$f", f"f{depth}")


def chain_result(depth: int, n: int) -> int:
    if depth == 1:
        return sum(range(n))
    return chain_result(depth - 1, n + 1) + n + 3 * n + n % 2 + n % 256


def lower(text: str, passes: str = PASSES) -> pycoro.Module:
    return pycoro.lower(text, passes).module


class Executor:
    """Runs enqueued coroutines until the queue is empty; allocates contexts and checks them for leaks and overruns."""

    GUARD = b"\xa5" * 48

    def __init__(
        self,
        text: str,
        lower: Callable[[str], pycoro.Module] = lower,
        externals: Mapping[str, object] = MappingProxyType({}),
        before: str = "",
    ) -> None:
        self.queue: collections.deque[tuple[int, int]] = collections.deque()
        self.live: dict[int, tuple[ctypes.Array[ctypes.c_char], int]] = {}
        self.results: list[int] = []
        self.overrun: list[int] = []
        self.most = self.made = 0
        own = {
            "task_alloc": self.alloc,
            "task_dealloc": self.dealloc,
            "enqueue": lambda function, context: self.queue.append((function, context)),
            "finished": self.results.append,
        }
        self.engine = Engine(externals={**own, **externals})
        if before:
            self.engine.add(lower(for_host(before)))
        self.engine.add(lower(for_host(text)))

    def alloc(self, size: int) -> int:
        buffer = ctypes.create_string_buffer(size + len(self.GUARD) + 16)
        address = -(-ctypes.addressof(buffer) // 16) * 16
        ctypes.memmove(address, b"\xcc" * size + self.GUARD, size + len(self.GUARD))
        self.live[address] = buffer, size
        self.made += 1
        self.most = max(self.most, len(self.live))
        return address

    def dealloc(self, address: int) -> None:
        _, size = self.live.pop(address)
        if ctypes.string_at(address + size, len(self.GUARD)) != self.GUARD:
            self.overrun.append(size)

    def context_size(self, name: str) -> int:
        return ctypes.c_uint32.from_address(self.engine.address(f"{name}.fp") + 4).value

    def enter(self, name: str, argument: int) -> int:
        """Run a coroutine until it suspends or ends; return its context."""
        context = self.alloc(self.context_size(name))
        for offset, word in ((0, 0), (8, self.engine.address("root")), (16, argument)):
            ctypes.c_int64.from_address(context + offset).value = word
        self.engine.call("run", self.engine.address(name), context)
        return context

    def drain(self) -> None:
        while self.queue:
            self.engine.call("run", *self.queue.popleft())

    def start(self, name: str, argument: int) -> int:
        """Run a coroutine, and all that it awaits, to its end; return its result."""
        context = self.enter(name, argument)
        self.drain()
        self.dealloc(context)
        return self.results.pop()
