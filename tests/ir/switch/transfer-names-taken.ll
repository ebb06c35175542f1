; Globals with the names of the lowering's are unchanged, and not mistaken for the noop coroutine or the variables of
; the transfer loop.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S | FileCheck %s

; CHECK-DAG: @NoopCoro.Frame.Const = private constant { ptr, ptr } { ptr @work, ptr @work }
; CHECK-DAG: @NoopCoro.Frame.Const.1 = private constant %NoopCoro.Frame { ptr @[[NOOP:__NoopCoro_ResumeDestroy.[0-9]+]], ptr @[[NOOP]] }
; CHECK-DAG: @pycoro.transfer.1 = linkonce_odr hidden thread_local global { ptr, ptr, ptr } zeroinitializer
; CHECK-NOT: @NoopCoro.Frame.Const.2
; CHECK-NOT: @pycoro.transfer.2
; CHECK: define i32 @pycoro.transfer()
; CHECK: define ptr @noop()
; CHECK-NEXT: ret ptr @NoopCoro.Frame.Const.1
; CHECK: define internal void @f.transfer(ptr %next, ptr %next.address)
; CHECK: icmp eq ptr %resume, @[[NOOP]]
; CHECK: call ptr @llvm.threadlocal.address.p0(ptr @pycoro.transfer.1)
; CHECK: define internal void @g.transfer(ptr %next, ptr %next.address)
; CHECK: icmp eq ptr %resume, @[[NOOP]]
; CHECK: call ptr @llvm.threadlocal.address.p0(ptr @pycoro.transfer.1)

target triple = "x86_64-unknown-linux-gnu"

@NoopCoro.Frame.Const = private constant { ptr, ptr } { ptr @work, ptr @work }

define i32 @pycoro.transfer() {
  ret i32 1
}

define void @__NoopCoro_ResumeDestroy(ptr %frame) {
  call void @work(ptr %frame)
  ret void
}

define internal fastcc void @work(ptr %frame) {
  store ptr @NoopCoro.Frame.Const, ptr %frame
  ret void
}

define ptr @noop() {
  %noop = call ptr @llvm.coro.noop()
  ret ptr %noop
}

define ptr @noop.again() {
  %noop = call ptr @llvm.coro.noop()
  ret ptr %noop
}

define ptr @f(ptr %memory) presplitcoroutine "disable-tail-calls"="true" {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %first = call i8 @llvm.coro.suspend(token none, i1 false)
  %gone = icmp ne i8 %first, 0
  br i1 %gone, label %suspend, label %transfer

transfer:
  %save = call token @llvm.coro.save(ptr %handle)
  call void @llvm.coro.await.suspend.handle(ptr null, ptr %handle, ptr @next)
  %s = call i8 @llvm.coro.suspend(token %save, i1 false)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @g(ptr %memory) presplitcoroutine "disable-tail-calls"="true" {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %first = call i8 @llvm.coro.suspend(token none, i1 false)
  %gone = icmp ne i8 %first, 0
  br i1 %gone, label %suspend, label %transfer

transfer:
  %save = call token @llvm.coro.save(ptr %handle)
  call void @llvm.coro.await.suspend.handle(ptr null, ptr %handle, ptr @next)
  %s = call i8 @llvm.coro.suspend(token %save, i1 false)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare ptr @next(ptr, ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare token @llvm.coro.save(ptr)
declare void @llvm.coro.await.suspend.handle(ptr, ptr, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.noop()
