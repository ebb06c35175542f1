; No phi can merge tokens, so that a clone calls llvm.coro.id again for an llvm.coro.alloc. The call only names the coroutine.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split)' 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: the lowering is not checked
; CHECK-LABEL: define internal fastcc void @h.resume(
; CHECK: %[[ID:.*]] = call token @llvm.coro.id(
; CHECK-NEXT: call i1 @llvm.coro.alloc(token %[[ID]])
define ptr @h() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %waits
    i8 1, label %cleanup
  ]

waits:
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %out [
    i8 0, label %cleanup
    i8 1, label %cleanup
  ]

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %block)
  br label %out

out:
  %allocated = call i1 @llvm.coro.alloc(token %id)
  call void @tell(i1 %allocated)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i1 @llvm.coro.alloc(token)
declare void @tell(i1)
