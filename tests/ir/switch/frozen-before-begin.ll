; An alloca's address is never poison: a freeze of it before coro.begin is rematerialized afterwards, as the address is.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -verify-each | FileCheck %s
; UNSUPPORTED: reference

; CHECK-LABEL: define ptr @f(
; CHECK: freeze ptr %a
; CHECK: freeze ptr %{{.*}}
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: load i64, ptr
define ptr @f(ptr %memory) presplitcoroutine {
entry:
  %a = alloca i64
  %frozen = freeze ptr %a
  store i64 6, ptr %frozen
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %more ]
more:
  %v = load i64, ptr %frozen
  call void @use(i64 %v)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare void @use(i64)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
