; The analysis of longjmp below a call is reused: a callee of a function that jumps may not jump itself.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-elide %s | FileCheck %s

; CHECK-LABEL: define void @a.both(
; CHECK: call i1 @llvm.coro.alloc
; CHECK-LABEL: define void @b.stays(
; CHECK: alloca [32 x i8]
; CHECK-LABEL: define void @c.jumps(
; CHECK: call i1 @llvm.coro.alloc
; CHECK-LABEL: define void @d.in.turns(
; CHECK: alloca [32 x i8]
; CHECK-LABEL: define void @e.in.turns.and.away(
; CHECK: call i1 @llvm.coro.alloc

define void @a.both(i1 %c) nounwind {
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
  call void @calls.both(i1 %c)
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

define void @b.stays(i1 %c) nounwind {
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
  call void @calls.one(i1 %c)
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

define void @c.jumps(i1 %c) nounwind {
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
  call void @goes(i1 %c)
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

define void @d.in.turns(i1 %c) nounwind {
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
  call void @ping(i1 %c)
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

define void @e.in.turns.and.away(i1 %c) nounwind {
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
  call void @pong.away(i1 %c)
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

define void @calls.both(i1 %c) noinline nounwind {
  call void @calls.one(i1 %c)
  call void @goes(i1 %c)
  ret void
}

define void @calls.one(i1 %c) noinline nounwind {
  call void @use(i1 %c) willreturn
  ret void
}

define void @goes(i1 %c) noinline nounwind {
  br i1 %c, label %away, label %on
away:
  call void @longjmp(ptr null, i32 1)
  unreachable
on:
  ret void
}

define void @ping(i1 %c) noinline nounwind {
  br i1 %c, label %again, label %on
again:
  call void @pong(i1 false)
  br label %on
on:
  ret void
}

define void @pong(i1 %c) noinline nounwind {
  call void @ping(i1 %c)
  call void @calls.one(i1 %c)
  ret void
}

define void @pong.away(i1 %c) noinline nounwind {
  call void @pong(i1 %c)
  call void @goes(i1 %c)
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
declare void @use(i1)
declare void @publish(ptr)
declare ptr @malloc(i64)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.subfn.addr(ptr, i8)
