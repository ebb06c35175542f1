"""The coroutine that the examples lower. It counts up from a number, and calls `llvm.coro.alloc`."""

COUNTER = """
define ptr @counter(i64 %from) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %heap, label %begin
heap:
  %size = call i64 @llvm.coro.size.i64()
  %room = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %memory = phi ptr [ null, %entry ], [ %room, %heap ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop
loop:
  %n = phi i64 [ %from, %begin ], [ %next, %resumed ]
  call void @print(i64 %n)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %cleanup ]
resumed:
  %next = add i64 %n, 1
  br label %loop
cleanup:
  %mine = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %mine)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
declare void @print(i64)
declare ptr @malloc(i64)
declare void @free(ptr)
"""
