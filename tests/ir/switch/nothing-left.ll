; After coro-cleanup no coroutine intrinsic is left, not even a declaration. LLVM 22 keeps the declarations.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o - | FileCheck %s

; CHECK-NOT: llvm.coro.
; CHECK: define internal fastcc void @f.cleanup(
; CHECK-NOT: llvm.coro.

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define ptr @f() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %save = call token @llvm.coro.save(ptr %frame)
  %result = call i8 @llvm.coro.suspend(token %save, i1 true)
  switch i8 %result, label %suspend [
    i8 0, label %suspend
    i8 1, label %cleanup
  ]

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define void @use(ptr %handle) {
  call void @llvm.coro.resume(ptr %handle)
  %done = call i1 @llvm.coro.done(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i32 @llvm.coro.size.i32()
declare token @llvm.coro.save(ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare i1 @llvm.coro.done(ptr)
declare ptr @malloc(i32)
declare void @free(ptr)
