; Padding between the header and an aligned promise is used for other fields: the frame is 64 bytes, not 96.
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split)' | FileCheck %s
; UNSUPPORTED: reference

; CHECK-LABEL: define ptr @f(i32 %n, i64 %m)
; CHECK: call ptr @aligned_alloc(i64 32, i64 64)
; CHECK-DAG: getelementptr inbounds{{( nuw)?}} i8, ptr %handle, i64 16
; CHECK-DAG: getelementptr inbounds{{( nuw)?}} i8, ptr %handle, i64 24
define ptr @f(i32 %n, i64 %m) presplitcoroutine {
entry:
  %promise = alloca [32 x i8], align 32
  %id = call token @llvm.coro.id(i32 32, ptr %promise, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @aligned_alloc(i64 32, i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]
resumed:
  call void @use(i32 %n, i64 %m)
  br label %destroyed
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
declare void @use(i32, i64)
declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)
