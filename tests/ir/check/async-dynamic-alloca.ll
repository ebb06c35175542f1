; An inlined projection with an alloca of dynamic size: its memory is freed where the projection returns, by an
; llvm.stackrestore of the stack pointer that is saved directly before the inlined body. @other returns at two places.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: the lowering is not checked
; CHECK-LABEL: define internal void @f.resume.0(
; CHECK: %[[F:.*]] = call ptr @llvm.stacksave
; CHECK: call void @llvm.stackrestore.p0(ptr %[[F]])
; CHECK-LABEL: define internal void @g.resume.0(
; CHECK: %[[G:.*]] = call ptr @llvm.stacksave
; CHECK: call void @llvm.stackrestore.p0(ptr %[[G]])
define void @f(ptr %context, i32 %n) presplitcoroutine {
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @f.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %back = call ptr @llvm.coro.async.resume()
  %came = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %back, ptr @own, ptr @go, ptr %context, ptr %back)
  call void @use(i32 %n)
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false)
  unreachable
}

define internal ptr @own(ptr %context) {
  %n = load i32, ptr %context
  %room = alloca i32, i32 %n
  call void @fill(ptr %room)
  %own = load ptr, ptr %room
  ret ptr %own
}

define void @g(ptr %context, i32 %n) presplitcoroutine {
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @g.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %back = call ptr @llvm.coro.async.resume()
  %came = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %back, ptr @other, ptr @go, ptr %context, ptr %back)
  call void @use(i32 %n)
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false)
  unreachable
}

define internal ptr @other(ptr %context) {
entry:
  %n = load i32, ptr %context
  %small = icmp ult i32 %n, 10
  br i1 %small, label %direct, label %filled
direct:
  %next = load ptr, ptr %context
  ret ptr %next
filled:
  %room = alloca i32, i32 %n
  call void @fill(ptr %room)
  %own = load ptr, ptr %room
  ret ptr %own
}

@g.fp = global <{ i32, i32 }> <{ i32 0, i32 16 }>
@f.fp = global <{ i32, i32 }> <{ i32 0, i32 16 }>
declare void @use(i32)
declare void @fill(ptr)
declare void @go(ptr, ptr)
declare token @llvm.coro.id.async(i32, i32, i32, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.async.resume()
declare { ptr } @llvm.coro.suspend.async.sl_p0s(i32, ptr, ptr, ...)
declare void @llvm.coro.end.async(ptr, i1, ...)
