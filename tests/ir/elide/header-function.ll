; coro-elide resolves llvm.coro.subfn.addr if a store before it writes the slot of the frame header, and in f.resume for its
; own frame.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-elide %s | FileCheck %s

; CHECK-LABEL: define fastcc void @stored(
; CHECK: musttail call fastcc void @f.resume(ptr %frame)
define fastcc void @stored(ptr %frame) {
  %destroy = getelementptr i8, ptr %frame, i64 8
  store ptr @f.resume, ptr %frame
  store ptr @f.destroy, ptr %destroy
  %f = call ptr @llvm.coro.subfn.addr(ptr %frame, i8 0)
  musttail call fastcc void %f(ptr %frame)
  ret void
}

; CHECK-LABEL: define void @stored.to.the.other.slot(
; CHECK: call fastcc void @f.destroy(ptr %frame)
define void @stored.to.the.other.slot(ptr %frame) {
  %destroy = getelementptr i8, ptr %frame, i64 8
  store ptr @f.destroy, ptr %destroy
  store ptr null, ptr %frame
  %f = call ptr @llvm.coro.subfn.addr(ptr %frame, i8 1)
  call fastcc void %f(ptr %frame)
  ret void
}

; The header is in a frame at an offset of another frame; the search continues in the single predecessor.
; CHECK-LABEL: define void @in.another.frame(
; CHECK: call fastcc void @f.resume(ptr %inner)
define void @in.another.frame(ptr %outer, i1 %c) {
  %inner = getelementptr i8, ptr %outer, i64 40
  store ptr @f.resume, ptr %inner
  br i1 %c, label %next, label %exit
next:
  %before = getelementptr i8, ptr %outer, i64 36
  %after = getelementptr i8, ptr %outer, i64 48
  store i32 1, ptr %before
  store i64 1, ptr %after
  %v = load i32, ptr %outer
  %f = call ptr @llvm.coro.subfn.addr(ptr %inner, i8 0)
  call fastcc void %f(ptr %inner)
  br label %exit
exit:
  ret void
}

; Memory that is allocated in the function is distinct from that of its parameters.
; CHECK-LABEL: define void @allocated(
; CHECK: call fastcc void @f.resume(ptr %fresh)
define void @allocated(ptr %outer) {
  %fresh = call noalias ptr @malloc(i64 32)
  store ptr @f.resume, ptr %fresh
  store ptr %fresh, ptr %outer
  %f = call ptr @llvm.coro.subfn.addr(ptr %fresh, i8 0)
  call fastcc void %f(ptr %fresh)
  ret void
}

; CHECK-LABEL: define void @overwritten.in.part(
; CHECK: call fastcc void %f(ptr %frame)
define void @overwritten.in.part(ptr %frame) {
  store ptr @f.resume, ptr %frame
  %inside = getelementptr i8, ptr %frame, i64 4
  store i32 1, ptr %inside
  %f = call ptr @llvm.coro.subfn.addr(ptr %frame, i8 0)
  call fastcc void %f(ptr %frame)
  ret void
}

; CHECK-LABEL: define void @overwritten.from.before(
; CHECK: call fastcc void %f(ptr %frame)
define void @overwritten.from.before(ptr %memory) {
  %frame = getelementptr i8, ptr %memory, i64 8
  store ptr @f.resume, ptr %frame
  store i128 1, ptr %memory
  %f = call ptr @llvm.coro.subfn.addr(ptr %frame, i8 0)
  call fastcc void %f(ptr %frame)
  ret void
}

; CHECK-LABEL: define void @overwritten.through.another.pointer(
; CHECK: call fastcc void %f(ptr %frame)
define void @overwritten.through.another.pointer(ptr %frame, ptr %other) {
  store ptr @f.resume, ptr %frame
  store ptr null, ptr %other
  %f = call ptr @llvm.coro.subfn.addr(ptr %frame, i8 0)
  call fastcc void %f(ptr %frame)
  ret void
}

; CHECK-LABEL: define void @overwritten.by.a.call(
; CHECK: call fastcc void %f(ptr %frame)
define void @overwritten.by.a.call(ptr %frame) {
  store ptr @f.resume, ptr %frame
  call void @use(ptr %frame)
  %f = call ptr @llvm.coro.subfn.addr(ptr %frame, i8 0)
  call fastcc void %f(ptr %frame)
  ret void
}

; CHECK-LABEL: define void @stored.on.one.path(
; CHECK: call fastcc void %f(ptr %frame)
define void @stored.on.one.path(ptr %frame, i1 %c) {
  br i1 %c, label %store, label %join
store:
  store ptr @f.resume, ptr %frame
  br label %join
join:
  %f = call ptr @llvm.coro.subfn.addr(ptr %frame, i8 0)
  call fastcc void %f(ptr %frame)
  ret void
}

; CHECK-LABEL: define void @not.a.function(
; CHECK: call fastcc void %f(ptr %frame)
define void @not.a.function(ptr %frame, ptr %p) {
  store ptr %p, ptr %frame
  %f = call ptr @llvm.coro.subfn.addr(ptr %frame, i8 0)
  call fastcc void %f(ptr %frame)
  ret void
}

; In an earlier iteration the handle was another one.
; CHECK-LABEL: define void @of.an.earlier.iteration(
; CHECK: call fastcc void %f(ptr %last)
define void @of.an.earlier.iteration(ptr %first) {
entry:
  br label %loop
loop:
  %last = phi ptr [ %first, %entry ], [ %fresh, %loop ]
  %fresh = call noalias ptr @malloc(i64 32)
  store ptr @f.resume, ptr %fresh
  %f = call ptr @llvm.coro.subfn.addr(ptr %last, i8 0)
  call fastcc void %f(ptr %last)
  br label %loop
}

; A coroutine that transfers to itself; its destroy slot has f.destroy or f.cleanup.
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: call fastcc void %destroy(ptr %frame)
; CHECK: musttail call fastcc void @f.resume(ptr %frame)
define internal fastcc void @f.resume(ptr align 8 dereferenceable(32) %frame) {
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %frame, i8 1)
  call fastcc void %destroy(ptr %frame)
  %f = call ptr @llvm.coro.subfn.addr(ptr %frame, i8 0)
  musttail call fastcc void %f(ptr %frame)
  ret void
}

; CHECK-LABEL: define internal fastcc void @f.destroy(
; CHECK: musttail call fastcc void %f(ptr %frame)
define internal fastcc void @f.destroy(ptr align 8 dereferenceable(32) %frame) {
  %f = call ptr @llvm.coro.subfn.addr(ptr %frame, i8 0)
  musttail call fastcc void %f(ptr %frame)
  ret void
}

; Another table of functions that begins with @other.resume does not make it f.resume.
; CHECK-LABEL: define internal fastcc void @other.resume(
; CHECK: musttail call fastcc void %f(ptr %frame)
@other = private constant [3 x ptr] [ptr @other.resume, ptr null, ptr null]
define internal fastcc void @other.resume(ptr align 8 dereferenceable(32) %frame) {
  %f = call ptr @llvm.coro.subfn.addr(ptr %frame, i8 0)
  musttail call fastcc void %f(ptr %frame)
  ret void
}

define ptr @f(ptr %memory) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @f, ptr @f.resumers)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  ret ptr %handle
}

@f.resumers = private constant [3 x ptr] [ptr @f.resume, ptr @f.destroy, ptr @f.destroy]

declare void @use(ptr)
declare noalias ptr @malloc(i64)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.subfn.addr(ptr, i8)
