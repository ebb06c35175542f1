; In unreachable code an address may be defined by itself. The analysis terminates.
; UNSUPPORTED: reference
; RUN: timeout 60 pycoro opt -S -passes='coro-early,cgscc(coro-split),function(coro-elide),coro-cleanup' %s | FileCheck %s

; CHECK-LABEL: define void @of_itself(
; CHECK: store ptr %handle, ptr %p
; CHECK-LABEL: define void @of_each_other(
; CHECK: store ptr %handle, ptr %p

define internal ptr @f() presplitcoroutine noinline {
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

define void @of_itself() {
  %handle = call ptr @f()
  call void @llvm.coro.destroy(ptr %handle)
  ret void
dead:
  %p = getelementptr i8, ptr %p, i64 8
  store ptr %handle, ptr %p
  br label %dead
}

define void @of_each_other() {
  %handle = call ptr @f()
  call void @llvm.coro.destroy(ptr %handle)
  ret void
dead:
  %p = getelementptr i8, ptr %q, i64 0
  %q = bitcast ptr %p to ptr
  store ptr %handle, ptr %p
  call void @helper(ptr %p)
  br label %dead
}

define internal void @helper(ptr %owner) noinline {
  ret void
dead:
  %p = bitcast ptr %p to ptr
  store ptr %owner, ptr %p
  br label %dead
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
