"""Reads, explains, lowers and runs a coroutine with an installed wheel: `python first_use.py` prints OK."""

import os

import pycoro

IR = """
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @print(i64)

define ptr @powers(i64 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop

loop:
  %power = phi i64 [ 1, %entry ], [ %next, %again ]
  call void @print(i64 %power)
  %suspended = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %suspended, label %leave [
    i8 0, label %again
    i8 1, label %cleanup
  ]

again:
  %next = mul i64 %power, %n
  br label %loop

cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %leave

leave:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
"""

module = pycoro.Module(IR)
explanation = str(module.coroutines["powers"])
assert "Why each value is in the frame" in explanation, explanation
module.run("default<O2>")
seen: list[int] = []
with pycoro.Engine(pycoro.lower(IR), externals={"print": seen.append}).start("powers", 3) as handle:
    handle.resume()
    handle.resume()
assert seen == [1, 3, 9], seen
print("OK", os.uname().machine, pycoro.__version__)
