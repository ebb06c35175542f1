; Queries, assumptions and sanitizer reports on a coroutine's address are no escape: neither in its creator nor in its
; resume function.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-elide %s | FileCheck %s

; CHECK-LABEL: define void @asks(
; CHECK: alloca [32 x i8]
define void @asks() {
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
  %size = call i64 @llvm.objectsize.i64.p0(ptr %hdl, i1 false, i1 true, i1 false)
  %known = call i1 @llvm.is.constant.p0(ptr %hdl)
  call void (...) @llvm.fake.use(ptr %hdl)
  %number = ptrtoint ptr %hdl to i64
  call void @__ubsan_handle_type_mismatch_v1(ptr @data, i64 %number)
  call void @may.throw()
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

; A function of another name that is given the number may make the handle of it again.
; CHECK-LABEL: define void @tells(
; CHECK: call i1 @llvm.coro.alloc
define void @tells() {
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
  %number = ptrtoint ptr %hdl to i64
  call void @take(i64 %number)
  call void @may.throw()
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

; CHECK-LABEL: define void @resumes.quiet(
; CHECK: alloca [32 x i8]
define void @resumes.quiet() {
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
  %resume = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 0)
  call fastcc void %resume(ptr %hdl)
  call void @may.throw()
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

; CHECK-LABEL: define void @resumes.loud(
; CHECK: call i1 @llvm.coro.alloc
define void @resumes.loud() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @loud, ptr @loud.resumers)
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
  call void @may.throw()
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

@data = external global i8

@quiet.resumers = private constant [3 x ptr] [ptr @quiet.resume, ptr @quiet.destroy, ptr @quiet.cleanup]
declare ptr @quiet(i32)
define internal fastcc void @quiet.resume(ptr noundef nonnull align 8 dereferenceable(32) %frame) nounwind {
  %size = call i64 @llvm.objectsize.i64.p0(ptr %frame, i1 false, i1 true, i1 false)
  %number = ptrtoint ptr %frame to i64
  %low = and i64 %number, 7
  %odd = icmp ne i64 %low, 0
  call void @__ubsan_handle_type_mismatch_v1(ptr @data, i64 %number)
  ret void
}
define internal fastcc void @quiet.destroy(ptr %frame) nounwind {
  call void @free(ptr %frame)
  ret void
}
define internal fastcc void @quiet.cleanup(ptr %frame) nounwind {
  ret void
}

@loud.resumers = private constant [3 x ptr] [ptr @loud.resume, ptr @loud.destroy, ptr @loud.cleanup]
declare ptr @loud(i32)
define internal fastcc void @loud.resume(ptr noundef nonnull align 8 dereferenceable(32) %frame) nounwind {
  %size = call i64 @llvm.objectsize.i64.p0(ptr %frame, i1 false, i1 true, i1 false)
  %number = ptrtoint ptr %frame to i64
  %low = and i64 %number, -8
  call void @take(i64 %low)
  ret void
}
define internal fastcc void @loud.destroy(ptr %frame) nounwind {
  call void @free(ptr %frame)
  ret void
}
define internal fastcc void @loud.cleanup(ptr %frame) nounwind {
  ret void
}

declare void @may.throw()
declare void @take(i64)
declare void @__ubsan_handle_type_mismatch_v1(ptr, i64) nounwind
declare ptr @malloc(i64)
declare void @free(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.subfn.addr(ptr, i8)
declare i64 @llvm.objectsize.i64.p0(ptr, i1, i1, i1)
declare i1 @llvm.is.constant.p0(ptr)
declare void @llvm.fake.use(...)
