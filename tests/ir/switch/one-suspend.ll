; A coroutine of one suspend: the ramp and three clones remain, without coroutine intrinsics.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK: define ptr @f(i32 %n)
; CHECK-NOT: presplitcoroutine
; CHECK-NOT: call {{.*}}@llvm.coro
; CHECK: define internal fastcc void @f.resume(ptr
; CHECK-NOT: call {{.*}}@llvm.coro
; CHECK: call void @free(
; CHECK: define internal fastcc void @f.destroy(ptr
; CHECK-NOT: call {{.*}}@llvm.coro
; CHECK: call void @free(
; CHECK: define internal fastcc void @f.cleanup(ptr
; CHECK-NOT: call {{.*}}@llvm.coro
; CHECK-NOT: call void @free(ptr nonnull
; OUT: {{^}}7 8{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %before = call i32 (ptr, ...) @printf(ptr @int, i32 %n)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  %next = add i32 %n, 1
  %after = call i32 (ptr, ...) @printf(ptr @int, i32 %next)
  br label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define i32 @main() {
  %handle = call ptr @f(i32 7)
  call void @llvm.coro.resume(ptr %handle)
  ret i32 0
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i32 @llvm.coro.size.i32()
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.resume(ptr)
declare ptr @malloc(i32)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
