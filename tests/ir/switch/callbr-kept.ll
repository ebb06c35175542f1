; The result of a callbr is defined on every successor. With a suspend before a use the coroutine is rejected; otherwise
; it is a value like any other.
; RUN: not pycoro opt %s -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s
; RUN: sed 's/@use(i64 %%given)/@use(i64 %%n)/' %s | pycoro opt - -S -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s --check-prefix=NOT-KEPT
; UNSUPPORTED: reference

; CHECK-NOT: define
; CHECK: the result of a callbr is live across a suspend
; CHECK: @f, %entry: %given = callbr
; CHECK: store it in an alloca in the successors
; NOT-KEPT-LABEL: define ptr @f(
; NOT-KEPT: callbr i64 asm
; NOT-KEPT-NEXT: to label %straight [label %jumped]
; NOT-KEPT-LABEL: define internal fastcc void @f.resume(
; NOT-KEPT-NOT: callbr
; NOT-KEPT: call void @use(
define ptr @f(i64 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %given = callbr i64 asm sideeffect "", "=r,r,!i"(i64 %n) to label %straight [label %jumped]

straight:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
    i8 1, label %cleanup ]

jumped:
  br label %cleanup

resumed:
  call void @use(i64 %given)
  br label %cleanup

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.size.i64()
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @use(i64)
