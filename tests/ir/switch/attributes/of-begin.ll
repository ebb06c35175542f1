; The result of llvm.coro.begin is nonnull and noalias: the ramp is marked so for its callers.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split)' -S | FileCheck %s

; CHECK-LABEL: define ptr @f(
; CHECK: %frame = call noalias nonnull ptr @llvm.coro.begin(token %id, ptr {{.*}}%memory){{$}}
; CHECK-LABEL: define ptr @says.so(
; CHECK: %frame = call noalias nonnull align 64 ptr @llvm.coro.begin(token %id, ptr {{.*}}%memory) #[[#NOMERGE:]]{{$}}
; CHECK: attributes #[[#NOMERGE]] = { nomerge }

define ptr @f(ptr %memory) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @says.so(ptr %memory) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %frame = call noalias nonnull align 64 ptr @llvm.coro.begin(token %id, ptr %memory) nomerge
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
