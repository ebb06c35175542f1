; A callee with a body is analyzed by its body, whatever its name, also through aliases: one that calls longjmp prevents
; elision of an escaped frame. Names identify external functions only: these end the process, or throw.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-elide %s | FileCheck %s

; CHECK-LABEL: define void @by.library.code(
; CHECK: call i1 @llvm.coro.alloc
; CHECK-LABEL: define void @by.an.alias(
; CHECK: call i1 @llvm.coro.alloc
; CHECK-LABEL: define void @by.a.weak.one(
; CHECK: call i1 @llvm.coro.alloc
; CHECK-LABEL: define void @by.an.end(
; CHECK: alloca [32 x i8]
; CHECK-LABEL: define void @by.an.alias.of.an.end(
; CHECK: alloca [32 x i8]
; CHECK-LABEL: define void @by.an.end.elsewhere(
; CHECK: alloca [32 x i8]

define void @by.library.code(i1 %c) nounwind {
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
  br i1 %c, label %away, label %on
away:
  call void @_ZSt6invokeIRFvvEEvOT_(i1 %c)
  br label %on
on:
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

define void @by.an.alias(i1 %c) nounwind {
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
  br i1 %c, label %away, label %on
away:
  call void @again(i1 %c)
  br label %on
on:
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

define void @by.a.weak.one(i1 %c) nounwind {
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
  br i1 %c, label %away, label %on
away:
  call void @weak(i1 %c)
  br label %on
on:
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

define void @by.an.end(i1 %c) nounwind {
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
  br i1 %c, label %away, label %on
away:
  call void @_ZSt4endsv(i1 %c)
  br label %on
on:
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

define void @by.an.alias.of.an.end(i1 %c) nounwind {
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
  br i1 %c, label %away, label %on
away:
  call void @ends.again(i1 %c)
  br label %on
on:
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

define void @by.an.end.elsewhere(i1 %c) nounwind {
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
  br i1 %c, label %away, label %on
away:
  call void @_ZSt9terminatev()
  unreachable
on:
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

@again = internal alias void (i1), ptr @once.more
@once.more = internal alias void (i1), ptr @_ZSt6invokeIRFvvEEvOT_
@ends.again = internal alias void (i1), ptr @_ZSt4endsv

define linkonce_odr void @_ZSt6invokeIRFvvEEvOT_(i1 %c) nounwind {
  br i1 %c, label %a, label %b
a:
  call void @longjmp(ptr null, i32 1)
  unreachable
b:
  ret void
}

define weak void @weak(i1 %c) nounwind {
  br i1 %c, label %a, label %b
a:
  call void @longjmp(ptr null, i32 1)
  unreachable
b:
  ret void
}

define linkonce_odr void @_ZSt4endsv(i1 %c) nounwind {
  br i1 %c, label %a, label %b
a:
  call void @_ZSt9terminatev()
  unreachable
b:
  ret void
}

@quiet.resumers = private constant [3 x ptr] [ptr @quiet.resume, ptr @quiet.destroy, ptr @quiet.cleanup]

declare ptr @quiet()
define internal fastcc void @quiet.resume(ptr align 8 dereferenceable(32) %frame) {
  ret void
}
declare void @quiet.destroy(ptr)
declare void @quiet.cleanup(ptr)
declare void @longjmp(ptr, i32) noreturn nounwind
declare void @_ZSt9terminatev() noreturn nounwind
declare void @publish(ptr)
declare ptr @malloc(i64)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.subfn.addr(ptr, i8)
