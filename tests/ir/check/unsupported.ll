; A construct without a rule is named by a warning, and the coroutine is lowered.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK: the lowering is not checked: memory on the heap that is used where all blocks may have been freed
; CHECK: define ptr @f(
define ptr @f(i64 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %many = alloca i32, i64 %n
  call void @init(ptr %many)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %cleanup ]
resumed:
  call void @init(ptr %many)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @init(ptr %many)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare void @init(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
