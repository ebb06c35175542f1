; A helper returns a handle in one of two fields. Destroying the handle in one field does not destroy it on paths where
; it is in the other.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,coro-split,function(coro-elide),coro-cleanup' %s | FileCheck %s

; CHECK-LABEL: define void @destroys_one(
; CHECK: call ptr @f()
; CHECK-LABEL: define void @destroys_other(
; CHECK: call ptr @f()

@kept = global ptr null

define internal { ptr, ptr } @either(ptr %handle, i1 %first) noinline {
  br i1 %first, label %in_first, label %in_second
in_first:
  %a = insertvalue { ptr, ptr } { ptr null, ptr null }, ptr %handle, 0
  ret { ptr, ptr } %a
in_second:
  %b = insertvalue { ptr, ptr } { ptr null, ptr null }, ptr %handle, 1
  ret { ptr, ptr } %b
}

define void @destroys_one(i1 %first) nounwind {
  %handle = call ptr @f()
  %both = call { ptr, ptr } @either(ptr %handle, i1 %first)
  %other = extractvalue { ptr, ptr } %both, 1
  store ptr %other, ptr @kept
  %one = extractvalue { ptr, ptr } %both, 0
  %none = icmp eq ptr %one, null
  br i1 %none, label %out, label %destroy
destroy:
  call void @llvm.coro.destroy(ptr %one)
  br label %out
out:
  ret void
}

define void @destroys_other(i1 %first) nounwind {
  %handle = call ptr @f()
  %both = call { ptr, ptr } @either(ptr %handle, i1 %first)
  %other = extractvalue { ptr, ptr } %both, 0
  store ptr %other, ptr @kept
  %one = extractvalue { ptr, ptr } %both, 1
  %none = icmp eq ptr %one, null
  br i1 %none, label %out, label %destroy
destroy:
  call void @llvm.coro.destroy(ptr %one)
  br label %out
out:
  ret void
}

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
