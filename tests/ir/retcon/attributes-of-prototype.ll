; A continuation has the function attributes of the coroutine and the prototype; the prototype's take precedence.
; Attributes of the ramp's parameters or the frame's memory are dropped.
; RUN: pycoro opt %s -S -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each | FileCheck %s
; RUN: pycoro opt %s -S -passes='coro-early,cgscc(coro-split),coro-cleanup,default<O1>' -disable-output
; UNSUPPORTED: reference

; CHECK: define internal swiftcc noundef ptr @f.resume.0(ptr inreg noalias noundef nonnull align 8 dereferenceable(8) %buffer, i64 range(i64 0, 4) %{{.*}}) #[[#F:]] {
; CHECK: define internal swiftcc noundef ptr @slow.resume.0({{.*}}) #[[#SLOW:]] {
; CHECK-DAG: attributes #[[#F]] = { alwaysinline minsize "frame-pointer"="all" }
; CHECK-DAG: attributes #[[#SLOW]] = { alwaysinline minsize sanitize_realtime }

define ptr @f(ptr %buffer) noinline optnone "frame-pointer"="all" {
  %id = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %got = call i64 (...) @llvm.coro.suspend.retcon.i64()
  call void @use(i64 %got)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

define ptr @slow(ptr %buffer) optdebug sanitize_realtime {
  %id = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %got = call i64 (...) @llvm.coro.suspend.retcon.i64()
  call void @use(i64 %got)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

declare swiftcc noundef ptr @prototype(ptr inreg writeonly returned initializes((0, 4)), i64 range(i64 0, 4)) unnamed_addr alwaysinline minsize noreturn presplitcoroutine jumptable
declare ptr @allocate(i64)
declare void @deallocate(ptr)
declare void @use(i64)
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.suspend.retcon.i64(...)
declare void @llvm.coro.end(ptr, i1, token)
