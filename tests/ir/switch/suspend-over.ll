; A suspend after a call of its resume function is removed. An intrinsic may be between the save and that call, but no
; call that could resume the coroutine first, such as await_suspend.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup,function(simplifycfg,instsimplify)' -S | FileCheck %s

; CHECK-LABEL: define ptr @over(
; CHECK: call void @llvm.memcpy
; CHECK-NOT: {{(fastcc|store)}}
; CHECK: call void @use(i32 0)
; CHECK-NOT: {{(fastcc|store)}}
; CHECK: ret ptr
; CHECK-LABEL: define ptr @disturbed(
; CHECK: call i1 @await(
; CHECK: call fastcc void %{{.*}}(ptr %
; CHECK: ret ptr
; CHECK-NOT: @over.resume
; CHECK: define internal fastcc void @disturbed.resume(

define ptr @over(ptr %memory, ptr %to) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %save = call token @llvm.coro.save(ptr %handle)
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %memory, i64 8, i1 false)
  call void @llvm.coro.resume(ptr %handle)
  %s = call i8 @llvm.coro.suspend(token %save, i1 false)
  %wide = zext i8 %s to i32
  switch i8 %s, label %suspend [
    i8 0, label %more
    i8 1, label %suspend
  ]

more:
  call void @use(i32 %wide)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @disturbed(ptr %memory, ptr %to) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %save = call token @llvm.coro.save(ptr %handle)
  %stay = call i1 @llvm.coro.await.suspend.bool(ptr %to, ptr %handle, ptr @await)
  call void @llvm.coro.resume(ptr %handle)
  %s = call i8 @llvm.coro.suspend(token %save, i1 false)
  %wide = zext i8 %s to i32
  switch i8 %s, label %suspend [
    i8 0, label %more
    i8 1, label %suspend
  ]

more:
  call void @use(i32 %wide)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare i1 @await(ptr, ptr)
declare void @use(i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare token @llvm.coro.save(ptr)
declare i1 @llvm.coro.await.suspend.bool(ptr, ptr, ptr)
declare void @llvm.coro.resume(ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
