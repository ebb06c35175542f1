; Of an inlined projection with an alloca of dynamic size the checker knows nothing: a warning, and a complete lowering.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK: the lowering is not checked: an alloca of dynamic size in an inlined function
; CHECK: define internal void @f.resume.0(
; CHECK: call void @llvm.stackrestore
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

@f.fp = global <{ i32, i32 }> <{ i32 0, i32 16 }>
declare void @use(i32)
declare void @fill(ptr)
declare void @go(ptr, ptr)
declare token @llvm.coro.id.async(i32, i32, i32, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.async.resume()
declare { ptr } @llvm.coro.suspend.async.sl_p0s(i32, ptr, ptr, ...)
declare void @llvm.coro.end.async(ptr, i1, ...)
