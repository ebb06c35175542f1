; A continuation call cannot take memory that the caller must allocate at the call (byval, inalloca), since the source
; has no such call.
; RUN: sed 's/PROJECTED/preallocated(i64)/; s/GIVEN//' %s > %t.projection.ll
; RUN: not pycoro opt %t.projection.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=PROJECTION
; RUN: sed 's/PROJECTED//; s/GIVEN/inalloca(i64)/' %s > %t.callee.ll
; RUN: not pycoro opt %t.callee.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=CALLEE
; UNSUPPORTED: reference

; PROJECTION: the context projection has a parameter that a generated call cannot pass
; PROJECTION: @f
; CALLEE: the callee of the tail call has a parameter that a generated call cannot pass
; CALLEE: @f
define void @f(ptr %context) presplitcoroutine {
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @f.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %back = call ptr @llvm.coro.async.resume()
  %came = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %back, ptr @own, ptr @go, ptr %context)
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false)
  unreachable
}

@f.fp = global <{ i32, i32 }> <{ i32 0, i32 16 }>
declare ptr @own(ptr PROJECTED)
declare void @go(ptr GIVEN)
declare token @llvm.coro.id.async(i32, i32, i32, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.async.resume()
declare { ptr } @llvm.coro.suspend.async.sl_p0s(i32, ptr, ptr, ...)
declare void @llvm.coro.end.async(ptr, i1, ...)
