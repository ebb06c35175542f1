"""The coroutine that the examples use: it adds the numbers up to its argument in a loop, and prints both."""

SUMS = """
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @print(i32)

define ptr @sums(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %cell = alloca i64
  %wide = sext i32 %n to i64
  store i64 %wide, ptr %cell
  %last = load i64, ptr %cell
  %shown = load i64, ptr %cell
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %loop
    i8 1, label %cleanup
  ]

loop:
  %i = phi i32 [ 1, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %more = add i32 %sum, %i
  %next = add i32 %i, 1
  %reached = sext i32 %next to i64
  %again = icmp sle i64 %reached, %last
  br i1 %again, label %loop, label %print

print:
  %said = trunc i64 %shown to i32
  call void @print(i32 %said)
  call void @print(i32 %more)
  %e = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %e, label %out [
    i8 0, label %never
    i8 1, label %cleanup
  ]

never:
  unreachable

cleanup:
  %used = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %used)
  br label %out

out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}
"""
