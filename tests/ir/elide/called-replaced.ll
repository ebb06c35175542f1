; A ramp's handle belongs to the definition that the linker selects: its resume function is known only if that is this
; one. An elided frame always belongs to this one.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),function(coro-elide)' %s | FileCheck %s

; CHECK-LABEL: define void @uses_own(
; CHECK: call fastcc void @own.resume(ptr %handle)
; CHECK-LABEL: define void @uses_inline(
; CHECK: %[[SLOT:.*]] = call ptr @llvm.coro.subfn.addr(ptr %handle, i8 0)
; CHECK: call fastcc void %[[SLOT]](ptr %handle)
; CHECK-LABEL: define void @uses_weak(
; CHECK: %[[WEAK:.*]] = call ptr @llvm.coro.subfn.addr(ptr %handle, i8 0)
; CHECK: call fastcc void %[[WEAK]](ptr %handle)
; CHECK-LABEL: define void @elides_inline(
; CHECK: call fastcc void @inline.resume(ptr
; CHECK: call fastcc void @inline.cleanup(ptr

@kept = global ptr null

define void @uses_own() nounwind {
  %handle = call ptr @own()
  store ptr %handle, ptr @kept
  call void @llvm.coro.resume(ptr %handle)
  ret void
}

define void @uses_inline() nounwind {
  %handle = call ptr @inline()
  store ptr %handle, ptr @kept
  call void @llvm.coro.resume(ptr %handle)
  ret void
}

define void @uses_weak() nounwind {
  %handle = call ptr @weak()
  store ptr %handle, ptr @kept
  call void @llvm.coro.resume(ptr %handle)
  ret void
}

define void @elides_inline() nounwind {
  %handle = call ptr @inline()
  call void @llvm.coro.resume(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}

define internal ptr @own() presplitcoroutine noinline {
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

define linkonce_odr ptr @inline() presplitcoroutine noinline {
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

define weak ptr @weak() presplitcoroutine noinline {
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
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
