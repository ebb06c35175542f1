; With code in a separate address space, llvm.coro.async.resume is still a plain pointer.
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s
; UNSUPPORTED: reference
target triple = "avr"

; CHECK-LABEL: define void @f(
; CHECK: call addrspace(0) void @go(ptr %context, ptr addrspacecast (ptr addrspace(1) @f.resume.0 to ptr))
; CHECK: define internal void @f.resume.0(
define void @f(ptr %context) presplitcoroutine {
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @f.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %back = call ptr @llvm.coro.async.resume()
  %came = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %back, ptr @own, ptr @go, ptr %context, ptr %back)
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false)
  unreachable
}

@f.fp = global <{ i32, i32 }> <{ i32 0, i32 16 }>
declare ptr @own(ptr)
declare void @go(ptr, ptr)
declare token @llvm.coro.id.async(i32, i32, i32, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.async.resume()
declare { ptr } @llvm.coro.suspend.async.sl_p0s(i32, ptr, ptr, ...)
declare void @llvm.coro.end.async(ptr, i1, ...)
