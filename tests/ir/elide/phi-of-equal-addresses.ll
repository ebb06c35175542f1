; Copies of an address computation that a phi merges are one address, so the object that holds the handle does not escape.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-elide %s | FileCheck %s

; CHECK-LABEL: define void @equal(
; CHECK: alloca [32 x i8]
; CHECK-NOT: call i1 @llvm.coro.alloc
define void @equal(i1 %c) nounwind {
entry:
  %object = alloca [2 x ptr]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @f, ptr @f.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %fresh = call ptr @malloc(i64 32)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call noalias nonnull ptr @llvm.coro.begin(token %id, ptr %mem)
  store ptr %hdl, ptr %object
  br i1 %c, label %left, label %right
left:
  %a = getelementptr ptr, ptr %object, i64 1
  br label %join
right:
  %b = getelementptr i8, ptr %object, i64 8
  br label %join
join:
  %p = phi ptr [ %a, %left ], [ %b, %right ]
  store ptr null, ptr %p
  %h = load ptr, ptr %object
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %h, i8 1)
  call fastcc void %destroy(ptr %h)
  ret void
}

; CHECK-LABEL: define void @different(
; CHECK: call i1 @llvm.coro.alloc
define void @different(i1 %c) nounwind {
entry:
  %object = alloca [2 x ptr]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @f, ptr @f.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %fresh = call ptr @malloc(i64 32)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call noalias nonnull ptr @llvm.coro.begin(token %id, ptr %mem)
  store ptr %hdl, ptr %object
  br i1 %c, label %left, label %join
left:
  %a = getelementptr ptr, ptr %object, i64 1
  br label %join
join:
  %p = phi ptr [ %a, %left ], [ %object, %begin ]
  store ptr null, ptr %p
  %h = load ptr, ptr %object
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %h, i8 1)
  call fastcc void %destroy(ptr %h)
  ret void
}

@f.resumers = private constant [3 x ptr] [ptr @f.resume, ptr @f.destroy, ptr @f.cleanup]

declare ptr @f()
define internal fastcc void @f.resume(ptr align 8 dereferenceable(32) %frame) {
  ret void
}
declare void @f.destroy(ptr)
declare void @f.cleanup(ptr)
declare ptr @malloc(i64)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.subfn.addr(ptr, i8)
