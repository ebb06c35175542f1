; A clone whose parameter has an ABI attribute is not called with a frame: such a coroutine is not elided.
; UNSUPPORTED: reference
; RUN: sed 's/APART/swifterror/' %s | pycoro opt -S -verify-each -passes=coro-elide | FileCheck %s
; RUN: sed 's/APART/byval(i64)/' %s | pycoro opt -S -verify-each -passes=coro-elide | FileCheck %s
; RUN: sed 's/APART//' %s | pycoro opt -S -verify-each -passes=coro-elide | FileCheck %s --check-prefix=PLAIN

; CHECK-LABEL: define void @run(
; CHECK: call i1 @llvm.coro.alloc
; CHECK: call ptr @llvm.coro.subfn.addr
; PLAIN-LABEL: define void @run(
; PLAIN: alloca [32 x i8]
; PLAIN: call fastcc void @f.cleanup(
define void @run() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @f, ptr @f.parts)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %fresh = call ptr @malloc(i64 32)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call noalias nonnull ptr @llvm.coro.begin(token %id, ptr %mem)
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

@f.parts = private constant [3 x ptr] [ptr @f.resume, ptr @f.destroy, ptr @f.cleanup]

declare ptr @f()
declare fastcc void @f.destroy(ptr)
declare fastcc void @f.cleanup(ptr APART)

define fastcc void @f.resume(ptr align 8 dereferenceable(32) %frame) {
  ret void
}

declare ptr @malloc(i64)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.subfn.addr(ptr, i8)
