; A suspend that no path leads to needs no coro.begin: the first suspend's result is never 2.
; RUN: pycoro opt %s -S -verify-each -passes='cgscc(coro-split)' | FileCheck %s
; RUN: pycoro opt %s -S -check-lowering -passes='cgscc(coro-split)' 2>&1 | FileCheck %s --check-prefixes=CHECKED,CHECK

; CHECKED: warning: {{.*}}the lowering is not checked: a suspend that no path leads to

; CHECK-LABEL: define ptr @f(
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK-NOT: call void @use
; CHECK: }
; CHECK-LABEL: define internal fastcc void @f.destroy(
; CHECK: call void @free(

declare ptr @malloc(i64)
declare void @free(ptr)
declare void @use()

define ptr @f() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %first = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %first, label %suspend [
    i8 2, label %never
    i8 1, label %cleanup
  ]

never:
  call void @use()
  %last = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %last, label %suspend [
    i8 0, label %resumed
    i8 1, label %cleanup
  ]

resumed:
  unreachable

cleanup:
  %free = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %free)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
