"""Small modules of IR with one coroutine of each ABI, for the examples of this reference and for experiments.

>>> pycoro.Module(pycoro.examples.COUNTER).coroutines["counter"]
<Coroutine @counter: switch, 2 suspends, frame of 32 bytes>
"""

from __future__ import annotations

__all__ = ["COUNTER", "RELAY", "SUMS"]

COUNTER = """\
declare ptr @malloc(i64)
declare void @free(ptr)

define ptr @counter(i32 %from, i32 %to) presplitcoroutine {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %needed = call i1 @llvm.coro.alloc(token %id)
  br i1 %needed, label %allocate, label %begin

allocate:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  br label %begin

begin:
  %frame = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %frame)
  br label %loop

loop:
  %n = phi i32 [ %from, %begin ], [ %next, %yield ]
  %more = icmp slt i32 %n, %to
  br i1 %more, label %yield, label %final

yield:
  store i32 %n, ptr %promise
  %next = add i32 %n, 1
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspended [
    i8 0, label %loop
    i8 1, label %cleanup
  ]

final:
  %f = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %f, label %suspended [
    i8 0, label %never
    i8 1, label %cleanup
  ]

never:
  unreachable

cleanup:
  %unused = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %unused)
  br label %suspended

suspended:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define i32 @sum(i32 %to) {
entry:
  %handle = call ptr @counter(i32 0, i32 %to)
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  br label %loop

loop:
  %total = phi i32 [ 0, %entry ], [ %plus, %on ]
  %done = call i1 @llvm.coro.done(ptr %handle)
  br i1 %done, label %out, label %on

on:
  %n = load i32, ptr %promise
  %plus = add i32 %total, %n
  call void @llvm.coro.resume(ptr %handle)
  br label %loop

out:
  call void @llvm.coro.destroy(ptr %handle)
  ret i32 %total
}
"""
"""Module with ``@counter``, a switch coroutine that yields the numbers from ``%from`` to ``%to`` in its promise, and ``@sum``,
which adds up those below ``%to`` and whose frame can be elided.

>>> with pycoro.Engine(pycoro.lower(pycoro.examples.COUNTER, host=True)) as engine:
...     list(engine["counter"](3, 6)), engine["sum"](10)
([3, 4, 5], 45)
"""

SUMS = """\
declare { ptr, i64 } @resumed(ptr, i64)
declare ptr @malloc(i64)
declare void @free(ptr)

define { ptr, i64 } @sums(ptr %buffer, i64 %start) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.retcon(i32 16, i32 8, ptr %buffer, ptr @resumed, ptr @malloc, ptr @free)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  br label %loop

loop:
  %sum = phi i64 [ %start, %entry ], [ %next, %loop ]
  %given = call i64 (...) @llvm.coro.suspend.retcon.i64(i64 %sum)
  %next = add i64 %sum, %given
  br label %loop
}
"""
"""Module with ``@sums``, an endless returned-continuation coroutine that yields the sum of its argument and of all values that it
was resumed with.

>>> with pycoro.Engine(pycoro.lower(pycoro.examples.SUMS, host=True)) as engine:
...     running = engine.start_retcon("sums", 100)
...     running.resume(11)
...     running.yielded
(111,)
"""

RELAY = """\
@relay.pointer = global <{ i32, i32 }> <{ i32 0, i32 16 }>

declare void @park(ptr, ptr)
declare void @show(i64)

define internal ptr @same(ptr %context) {
  ret ptr %context
}

define internal swifttailcc void @hand(ptr %context, ptr %resume) {
  call void @park(ptr %context, ptr %resume)
  ret void
}

define swifttailcc void @relay(ptr swiftasync %context, i64 %n) presplitcoroutine {
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @relay.pointer)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %resume = call ptr @llvm.coro.async.resume()
  %back = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(
      i32 0, ptr %resume, ptr @same, ptr @hand, ptr %context, ptr %resume)
  call void @show(i64 %n)
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %handle, i1 false)
  unreachable
}
"""
"""Module with ``@relay``, an async coroutine that passes its continuation to ``@park`` and shows its argument when resumed.

>>> pycoro.lower(pycoro.examples.RELAY).coroutines["relay"].clones
('relay.resume.0',)
"""
