; Callees of f.resume are analyzed: a destructor that is not inlined because it is cold takes an address in the frame
; without capturing it. One that stores it, or that may be replaced at link time, prevents elision.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-elide %s | FileCheck %s

; CHECK-LABEL: define void @of.reads(
; CHECK: alloca [32 x i8]
define void @of.reads() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @reads, ptr @reads.resumers)
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

; CHECK-LABEL: define void @of.stores(
; CHECK: call i1 @llvm.coro.alloc
define void @of.stores() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @stores, ptr @stores.resumers)
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

; CHECK-LABEL: define void @of.replaced(
; CHECK: call i1 @llvm.coro.alloc
define void @of.replaced() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @replaced, ptr @replaced.resumers)
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

@reads.resumers = private constant [3 x ptr] [ptr @reads.resume, ptr @reads.destroy, ptr @reads.cleanup]
declare ptr @reads(i32)
define internal fastcc void @reads.resume(ptr noundef nonnull align 8 dereferenceable(32) %frame) {
  %local = getelementptr inbounds i8, ptr %frame, i64 16
  call void @reads.destructor(ptr %local)
  ret void
}
define internal fastcc void @reads.destroy(ptr %frame) nounwind {
  call void @free(ptr %frame)
  ret void
}
define internal fastcc void @reads.cleanup(ptr %frame) nounwind {
  ret void
}

@stores.resumers = private constant [3 x ptr] [ptr @stores.resume, ptr @stores.destroy, ptr @stores.cleanup]
declare ptr @stores(i32)
define internal fastcc void @stores.resume(ptr noundef nonnull align 8 dereferenceable(32) %frame) {
  %local = getelementptr inbounds i8, ptr %frame, i64 16
  call void @stores.destructor(ptr %local)
  ret void
}
define internal fastcc void @stores.destroy(ptr %frame) nounwind {
  call void @free(ptr %frame)
  ret void
}
define internal fastcc void @stores.cleanup(ptr %frame) nounwind {
  ret void
}

@replaced.resumers = private constant [3 x ptr] [ptr @replaced.resume, ptr @replaced.destroy, ptr @replaced.cleanup]
declare ptr @replaced(i32)
define internal fastcc void @replaced.resume(ptr noundef nonnull align 8 dereferenceable(32) %frame) {
  %local = getelementptr inbounds i8, ptr %frame, i64 16
  call void @replaced.destructor(ptr %local)
  ret void
}
define internal fastcc void @replaced.destroy(ptr %frame) nounwind {
  call void @free(ptr %frame)
  ret void
}
define internal fastcc void @replaced.cleanup(ptr %frame) nounwind {
  ret void
}

@kept = global ptr null
define linkonce_odr void @reads.destructor(ptr %this) {
  %n = load i32, ptr %this
  call void @print(i32 %n)
  ret void
}
define linkonce_odr void @stores.destructor(ptr %this) {
  store ptr %this, ptr @kept
  ret void
}
define weak void @replaced.destructor(ptr %this) {
  ret void
}

declare void @print(i32)
declare void @may.throw()
declare ptr @malloc(i64)
declare void @free(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.subfn.addr(ptr, i8)
