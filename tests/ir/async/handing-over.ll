; The function that a suspend calls is inlined, and ends the clone with its terminator: a tail call or a return.
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %s -o - | FileCheck %s --implicit-check-not=llvm.coro
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define swifttailcc void @jump(
; CHECK: store ptr @jump.resume.0, ptr %place
; CHECK: musttail call swifttailcc void @next(ptr swiftasync %context)
; CHECK-NEXT: ret void
define swifttailcc void @jump(ptr swiftasync %context, ptr %place) presplitcoroutine {
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @jump.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %back = call ptr @llvm.coro.async.resume()
  store ptr %back, ptr %place
  %came = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %back, ptr @same, ptr @dispatch, ptr %context)
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false)
  unreachable
}

define internal swifttailcc void @dispatch(ptr %context) {
  musttail call swifttailcc void @next(ptr swiftasync %context)
  ret void
}

; Types differ, so that only calls of the conventions that allow for it can be jumps.
; CHECK-LABEL: define swiftcc void @differ(
; CHECK: {{^}}  tail call swiftcc void @far(i32 7, ptr @differ.resume.0)
; CHECK-NEXT: ret void
define swiftcc void @differ(ptr swiftasync %context) presplitcoroutine {
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @differ.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %back = call ptr @llvm.coro.async.resume()
  %came = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %back, ptr @same, ptr @dispatch.far, ptr %back)
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false)
  unreachable
}

define internal swiftcc void @dispatch.far(ptr %back) {
  tail call swiftcc void @far(i32 7, ptr %back)
  ret void
}

; Where several ways lead out of it.
; CHECK-LABEL: define swifttailcc void @choose(
; CHECK: %room.i = alloca i32
; CHECK: %which{{.*}} = icmp eq ptr %context, null
; CHECK: br i1 %which{{.*}}, label %[[NONE:.*]], label %[[SOME:.*]]
; CHECK: %many{{.*}} = phi i32 [ 1, %[[FROM:.*]] ], [ %less{{.*}}, %[[SOME]] ]
; CHECK: store i32 %many{{.*}}, ptr %room.i
; CHECK: musttail call swifttailcc void @next(ptr swiftasync %context)
; CHECK-NEXT: ret void
define swifttailcc void @choose(ptr swiftasync %context) presplitcoroutine {
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @choose.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %back = call ptr @llvm.coro.async.resume()
  %came = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %back, ptr @same, ptr @ways, ptr %context)
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false)
  unreachable
}

define internal swifttailcc void @ways(ptr %context) {
entry:
  %room = alloca i32
  %which = icmp eq ptr %context, null
  br i1 %which, label %none, label %some
none:
  ret void
some:
  %many = phi i32 [ 1, %entry ], [ %less, %some ]
  store i32 %many, ptr %room
  %less = sub i32 %many, 1
  %more = icmp eq i32 %less, 0
  br i1 %more, label %out, label %some
out:
  musttail call swifttailcc void @next(ptr swiftasync %context)
  ret void
}

; What has no body here is called, with its parameters where it looks for them.
; CHECK-LABEL: define swifttailcc void @elsewhere(
; CHECK: musttail call swifttailcc void @next(ptr swiftasync %context)
; CHECK-NEXT: ret void
define swifttailcc void @elsewhere(ptr swiftasync %context) presplitcoroutine {
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @elsewhere.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %back = call ptr @llvm.coro.async.resume()
  %came = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %back, ptr @same, ptr @next, ptr %context)
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false, ptr @next, ptr %context)
  unreachable
}

; CHECK-LABEL: define internal swifttailcc void @elsewhere.resume.0(ptr swiftasync %0)
; CHECK: musttail call swifttailcc void @next(ptr swiftasync %0)
; CHECK-NEXT: ret void

define ptr @same(ptr %context) {
  ret ptr %context
}

@jump.fp = global <{ i32, i32 }> <{ i32 0, i32 16 }>
@differ.fp = global <{ i32, i32 }> <{ i32 0, i32 16 }>
@choose.fp = global <{ i32, i32 }> <{ i32 0, i32 16 }>
@elsewhere.fp = global <{ i32, i32 }> <{ i32 0, i32 16 }>
declare swifttailcc void @next(ptr swiftasync)
declare swiftcc void @far(i32, ptr)
declare token @llvm.coro.id.async(i32, i32, i32, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.async.resume()
declare { ptr } @llvm.coro.suspend.async.sl_p0s(i32, ptr, ptr, ...)
declare void @llvm.coro.end.async(ptr, i1, ...)
