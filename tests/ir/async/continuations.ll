; A continuation takes the suspend's results, has the coroutine's calling convention and attributes, and a name that
; tells Swift's debuggers the kind of its context. swiftself and swiftasync follow the suspend.
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %s -o - | FileCheck %s --implicit-check-not=llvm.coro
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define swifttailcc void @f(ptr swiftasync %context, ptr %self) #[[#RAMP:]] section "code" {
define swifttailcc void @f(ptr swiftasync %context, ptr %self) noreturn nounwind presplitcoroutine "frame-pointer"="all" section "code" {
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @f.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %a = call ptr @llvm.coro.async.resume()
  %came = call { ptr, i64, ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0i64p0s(i32 512, ptr %a,
      ptr @__swift_async_resume_project_context, ptr @go, ptr %context, ptr %a)
  %b = call ptr @llvm.coro.async.resume()
  %came.1 = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %b,
      ptr @__swift_async_resume_get_context, ptr @go, ptr %context, ptr %b)
  %c = call ptr @llvm.coro.async.resume()
  %came.2 = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %c, ptr @own, ptr @go, ptr %context, ptr %c)
  call void @use(ptr %self)
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false)
  unreachable
}

; CHECK: define internal swifttailcc void @fTQ0_(ptr swiftasync %0, i64 %1, ptr swiftself %2) #[[#RAMP]] section "code" {
; CHECK: load ptr, ptr %0
; CHECK: store ptr %{{.*}}, ptr %{{.*}}
; CHECK: call void @go(ptr %{{.*}}, ptr @fTY1_)
; CHECK: define internal swifttailcc void @fTY1_(ptr swiftasync %0) #[[#RAMP]] section "code" {
; CHECK: call void @go(ptr %0, ptr @f.resume.2)
; CHECK: define internal swifttailcc void @f.resume.2(ptr swiftasync %0) #[[#RAMP]] section "code" {
; Without swiftasync the context is a parameter like others.
; CHECK: define internal void @plain.resume.0(i32 %0, ptr %1) {
; CHECK: attributes #[[#RAMP]] = { nounwind "frame-pointer"="all" }
define void @plain(ptr %context) presplitcoroutine {
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @plain.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %a = call ptr @llvm.coro.async.resume()
  %came = call { i32, ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_i32p0s(i32 1, ptr %a, ptr @own, ptr @go, ptr %context, ptr %a)
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  unreachable
}

; This one reads through its argument, and says where.
define ptr @__swift_async_resume_project_context(ptr %callee) {
  %own = load ptr, ptr %callee
  %place = call ptr @llvm.swift.async.context.addr()
  store ptr %own, ptr %place
  ret ptr %own
}
define ptr @__swift_async_resume_get_context(ptr %context) noinline {
  ret ptr %context
}
define ptr @own(ptr %context) {
  %null = icmp eq ptr %context, null
  br i1 %null, label %none, label %some
none:
  ret ptr null
some:
  ret ptr %context
}

@f.fp = global <{ i32, i32 }> <{ i32 0, i32 16 }>
@plain.fp = global <{ i32, i32 }> <{ i32 0, i32 16 }>
declare void @go(ptr, ptr)
declare void @use(ptr)
declare ptr @llvm.swift.async.context.addr()
declare token @llvm.coro.id.async(i32, i32, i32, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.async.resume()
declare { ptr } @llvm.coro.suspend.async.sl_p0s(i32, ptr, ptr, ...)
declare { i32, ptr } @llvm.coro.suspend.async.sl_i32p0s(i32, ptr, ptr, ...)
declare { ptr, i64, ptr } @llvm.coro.suspend.async.sl_p0i64p0s(i32, ptr, ptr, ...)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.end.async(ptr, i1, ...)
