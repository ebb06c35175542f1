; Code after a branch with a known condition is unreachable: no alloca, value or index is live because of it.
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s
; RUN: pycoro explain %s | FileCheck %s --check-prefix=FRAME
; UNSUPPORTED: reference

; CHECK-LABEL: define ptr @f(
; CHECK: call ptr @malloc(i64 16)
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK-NOT: call void @fill
; CHECK-NOT: call void @show
; CHECK-LABEL: define internal fastcc void @f.destroy(

; FRAME: coroutine @f: switch ABI, 5 blocks, 1 suspend point
define ptr @f(i64 %n) presplitcoroutine {
entry:
  %x = alloca [7 x i64]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @fill(ptr %x)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]
resumed:
  br i1 false, label %never, label %always
never:
  call void @fill(ptr %x)
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %out [
    i8 0, label %always
    i8 1, label %destroyed
  ]
always:
  %which = phi i64 [ 1, %resumed ], [ %n, %never ]
  switch i64 2, label %destroyed [
    i64 1, label %shown
    i64 3, label %never
  ]
shown:
  call void @show(i64 %which)
  br label %destroyed
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
declare void @fill(ptr captures(none))
declare void @show(i64)
declare ptr @malloc(i64)
declare void @free(ptr)
