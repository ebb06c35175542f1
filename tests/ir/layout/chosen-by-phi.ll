; The operands of a phi share an offset if they are never live together and it costs no byte: destroy reloads from it
; after any suspend, and suspends without other differences are merged.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split<reuse-storage>)' | FileCheck %s
; RUN: pycoro opt %s -S -verify-each -passes='default<O2>' | FileCheck %s --check-prefix=SHORT

; CHECK-LABEL: define internal fastcc void @f.destroy(
; CHECK: %first.spill.addr = getelementptr inbounds{{( nuw)?}} i8, ptr %handle, i64 [[AT:[0-9]+]]
; CHECK: %second.spill.addr = getelementptr inbounds{{( nuw)?}} i8, ptr %handle, i64 [[AT]]{{$}}
; CHECK-LABEL: define internal fastcc void @f.cleanup(

; SHORT-LABEL: define internal fastcc void @f.destroy(
; SHORT-NEXT: {{^.*:$}}
; SHORT-NOT: select
; SHORT: load ptr
; SHORT: call void @end(
; SHORT: call void @free(
; SHORT-NEXT: ret void
; SHORT-NEXT: }
define ptr @f() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %other = call ptr @make()
  %first = call ptr @make()
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s0, label %out [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]
resumed:
  call void @use(ptr %first, ptr %other)
  %second = call ptr @make()
  %s1 = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s1, label %out [
    i8 0, label %never
    i8 1, label %destroyed
  ]
never:
  unreachable
destroyed:
  %held = phi ptr [ %first, %entry ], [ %second, %resumed ]
  call void @end(ptr %held)
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
declare ptr @make()
declare void @use(ptr, ptr)
declare void @end(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
