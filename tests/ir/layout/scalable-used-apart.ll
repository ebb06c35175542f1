; A scalable alloca whose content is not live across a suspend may be used after one: each clone has a separate one.
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s

; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: %x{{.*}} = alloca <vscale x 4 x i32>, i64 2
; CHECK: call void @see(ptr %x
; CHECK: load i32, ptr %x
; CHECK-LABEL: define internal fastcc void @f.destroy(
define ptr @f(ptr %memory) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %begin ]
begin:
  %x = alloca <vscale x 4 x i32>, i64 2
  call void @llvm.lifetime.start.p0(ptr %x)
  store i32 1, ptr %x
  call void @see(ptr %x)
  call void @llvm.lifetime.end.p0(ptr %x)
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %out [ i8 0, label %more ]
more:
  %v = load i32, ptr %x
  call void @use(i32 %v)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare void @see(ptr)
declare void @use(i32)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
