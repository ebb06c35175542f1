; A ramp's memory attributes for its frame apply to its allocation, and not to a caller-provided frame.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),function(coro-elide),coro-cleanup' %s | FileCheck %s

; CHECK-LABEL: define void @elides(
; CHECK: = call nonnull ptr @f.noalloc(
; CHECK: define internal nonnull ptr @f.noalloc(

define void @elides() {
  %handle = call nonnull noalias align 64 dereferenceable(64) ptr @f()
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}

define internal nonnull noalias align 64 dereferenceable(64) ptr @f() presplitcoroutine noinline {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %fresh = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %memory = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %cleanup
                             i8 1, label %cleanup ]
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.destroy(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
