; An llvm.stackrestore after a suspend restores a stack pointer of an earlier activation: the lowering drops it, and the
; checker proves that. One of the same activation is executed.
; RUN: pycoro opt %s -check-lowering -passes='coro-early,cgscc(coro-split)' -S 2>&1 | FileCheck %s

; CHECK-NOT: the lowering is not checked
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: call void @init(
; CHECK-NOT: @llvm.stackrestore
; CHECK: %again = call ptr @llvm.stacksave
; CHECK: call void @llvm.stackrestore.p0(ptr %again)
; CHECK-NOT: @llvm.stackrestore
; CHECK-LABEL: define internal fastcc void @f.destroy(
define ptr @f(i64 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %mark = call ptr @llvm.stacksave.p0()
  %many = alloca i32, i64 %n
  call void @init(ptr %many)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %cleanup ]
resumed:
  call void @init(ptr %many)
  call void @llvm.stackrestore.p0(ptr %mark)
  %again = call ptr @llvm.stacksave.p0()
  %other = alloca i32, i64 %n
  call void @init(ptr %other)
  call void @llvm.stackrestore.p0(ptr %again)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare void @init(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
