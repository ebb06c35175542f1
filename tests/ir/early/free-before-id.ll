; An llvm.coro.free of `token none` that llvm.coro.id does not dominate keeps its token: to name the id there would break
; the module.
; RUN: pycoro opt %s -S -verify-each -passes=coro-early | FileCheck %s
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s --check-prefix=LOWERED
; UNSUPPORTED: reference

; CHECK-LABEL: define ptr @f(
; CHECK: call ptr @llvm.coro.free(token none, ptr null)
; CHECK: %id = call token @llvm.coro.id(
; CHECK: call ptr @llvm.coro.free(token none, ptr null)
; CHECK: call ptr @llvm.coro.free(token %id, ptr %hdl)
; LOWERED-NOT: llvm.coro
define ptr @f(i1 %early, ptr %mem) presplitcoroutine {
entry:
  %before = call ptr @llvm.coro.free(token none, ptr null)
  br i1 %early, label %start, label %none

start:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %cleanup
                             i8 1, label %cleanup ]

none:
  %beside = call ptr @llvm.coro.free(token none, ptr null)
  ret ptr %beside

cleanup:
  %freed = call ptr @llvm.coro.free(token none, ptr %hdl)
  call void @free(ptr %freed)
  br label %out

out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

declare void @free(ptr)
