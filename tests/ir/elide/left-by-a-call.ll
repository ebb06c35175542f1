; A call without an unwind edge is an exit if an exception may leave it: a coroutine whose handle escaped by then keeps
; its frame on the heap. Without an escape or exceptions the frame is elided.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-elide %s | FileCheck %s

; CHECK-LABEL: define void @known(
; CHECK: call i1 @llvm.coro.alloc
define void @known() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @quiet, ptr @quiet.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %fresh = call ptr @malloc(i64 32)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call noalias nonnull ptr @llvm.coro.begin(token %id, ptr %mem)
  call void @publish(ptr %hdl)
  call void @may.throw()
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

; CHECK-LABEL: define void @known.later(
; CHECK: alloca [32 x i8]
define void @known.later() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @quiet, ptr @quiet.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %fresh = call ptr @malloc(i64 32)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call noalias nonnull ptr @llvm.coro.begin(token %id, ptr %mem)
  call void @may.throw()
  call void @publish(ptr %hdl) nounwind
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

; CHECK-LABEL: define void @told.by.who.throws(
; CHECK: call i1 @llvm.coro.alloc
define void @told.by.who.throws() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @quiet, ptr @quiet.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %fresh = call ptr @malloc(i64 32)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call noalias nonnull ptr @llvm.coro.begin(token %id, ptr %mem)
  call void @publish(ptr %hdl)
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

; CHECK-LABEL: define void @not.kept(
; CHECK: alloca [32 x i8]
define void @not.kept() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @quiet, ptr @quiet.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %fresh = call ptr @malloc(i64 32)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call noalias nonnull ptr @llvm.coro.begin(token %id, ptr %mem)
  call void @look(ptr %hdl)
  call void @may.throw()
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

; CHECK-LABEL: define void @no.exception(
; CHECK: alloca [32 x i8]
define void @no.exception() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @quiet, ptr @quiet.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %fresh = call ptr @malloc(i64 32)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call noalias nonnull ptr @llvm.coro.begin(token %id, ptr %mem)
  call void @publish(ptr %hdl) nounwind
  call void @never.throws()
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

; CHECK-LABEL: define void @resumed(
; CHECK: alloca [32 x i8]
define void @resumed() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @quiet, ptr @quiet.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %fresh = call ptr @malloc(i64 32)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call noalias nonnull ptr @llvm.coro.begin(token %id, ptr %mem)
  %r = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 0)
  call fastcc void %r(ptr %hdl)
  call void @may.throw()
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

; CHECK-LABEL: define void @resumed.ends(
; CHECK: alloca [32 x i8]
define void @resumed.ends() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @ends, ptr @ends.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %fresh = call ptr @malloc(i64 32)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call noalias nonnull ptr @llvm.coro.begin(token %id, ptr %mem)
  %r = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 0)
  call fastcc void %r(ptr %hdl)
  call void @may.throw()
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

; CHECK-LABEL: define void @resumed.talks(
; CHECK: call i1 @llvm.coro.alloc
define void @resumed.talks() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @talks, ptr @talks.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %fresh = call ptr @malloc(i64 32)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call noalias nonnull ptr @llvm.coro.begin(token %id, ptr %mem)
  %r = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 0)
  call fastcc void %r(ptr %hdl)
  call void @may.throw()
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

; CHECK-LABEL: define void @resumed.throws(
; CHECK: call i1 @llvm.coro.alloc
define void @resumed.throws() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @talks, ptr @talks.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %fresh = call ptr @malloc(i64 32)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call noalias nonnull ptr @llvm.coro.begin(token %id, ptr %mem)
  %r = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 0)
  call fastcc void %r(ptr %hdl)
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

; CHECK-LABEL: define void @nobody.unwinds(
; CHECK: alloca [32 x i8]
define void @nobody.unwinds() nounwind {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @talks, ptr @talks.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %fresh = call ptr @malloc(i64 32)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call noalias nonnull ptr @llvm.coro.begin(token %id, ptr %mem)
  call void @publish(ptr %hdl)
  call void @may.throw()
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

@quiet.resumers = private constant [3 x ptr] [ptr @quiet.resume, ptr @quiet.destroy, ptr @quiet.cleanup]

declare ptr @quiet()
declare void @quiet.destroy(ptr)
declare void @quiet.cleanup(ptr)

@ends.resumers = private constant [3 x ptr] [ptr @ends.resume, ptr @ends.destroy, ptr @ends.cleanup]

declare ptr @ends()
declare void @ends.destroy(ptr)
declare void @ends.cleanup(ptr)

@talks.resumers = private constant [3 x ptr] [ptr @talks.resume, ptr @talks.destroy, ptr @talks.cleanup]

declare ptr @talks()
declare void @talks.destroy(ptr)
declare void @talks.cleanup(ptr)

define internal fastcc void @quiet.resume(ptr align 8 dereferenceable(32) %frame) {
  %at = getelementptr inbounds i8, ptr %frame, i64 16
  %n = load i32, ptr %at
  call void @print(i32 %n)
  ret void
}

; It frees the frame at its end where that is its own.
define internal fastcc void @ends.resume(ptr align 8 dereferenceable(32) %frame) {
  call void @may.throw()
  %slot = getelementptr inbounds i8, ptr %frame, i64 8
  %destroy = load ptr, ptr %slot
  %elided = icmp eq ptr %destroy, @ends.cleanup
  %own = select i1 %elided, ptr null, ptr %frame
  call void @free(ptr %own)
  ret void
}

define internal fastcc void @talks.resume(ptr align 8 dereferenceable(32) %frame) {
  %at = getelementptr inbounds i8, ptr %frame, i64 16
  call void @publish(ptr %at)
  ret void
}

; A part that others may call as well is what it is.
; CHECK-LABEL: define void @outside.resumed(
; CHECK: alloca [32 x i8]
define void @outside.resumed() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @outside, ptr @outside.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %fresh = call ptr @malloc(i64 32)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call noalias nonnull ptr @llvm.coro.begin(token %id, ptr %mem)
  %resume = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 0)
  call fastcc void %resume(ptr %hdl)
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

; A part that may be replaced is anything.
; CHECK-LABEL: define void @weak.resumed(
; CHECK: call i1 @llvm.coro.alloc
define void @weak.resumed() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @weak, ptr @weak.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %fresh = call ptr @malloc(i64 32)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call noalias nonnull ptr @llvm.coro.begin(token %id, ptr %mem)
  %resume = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 0)
  call fastcc void %resume(ptr %hdl)
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

@outside.resumers = private constant [3 x ptr] [ptr @outside.resume, ptr @outside.destroy, ptr @outside.cleanup]

declare ptr @outside()
declare void @outside.destroy(ptr)
declare void @outside.cleanup(ptr)

define fastcc void @outside.resume(ptr align 8 dereferenceable(32) %frame) {
  call void @look(ptr %frame) nounwind
  ret void
}

@weak.resumers = private constant [3 x ptr] [ptr @weak.resume, ptr @weak.destroy, ptr @weak.cleanup]

declare ptr @weak()
declare void @weak.destroy(ptr)
declare void @weak.cleanup(ptr)

define weak fastcc void @weak.resume(ptr align 8 dereferenceable(32) %frame) {
  call void @look(ptr %frame) nounwind
  ret void
}

declare void @free(ptr)
declare void @publish(ptr)
declare void @look(ptr captures(none)) nofree
declare void @may.throw()
declare void @never.throws() nounwind
declare void @print(i32)
declare ptr @malloc(i64)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.subfn.addr(ptr, i8)
