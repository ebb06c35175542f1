; The result of a callbr cannot be spilled, as it would be stored in each successor: a value computed from it is
; spilled, even if the result is smaller.
; RUN: pycoro opt %s -S -passes='coro-early,cgscc(coro-split),coro-cleanup' -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; UNSUPPORTED: reference

; CHECK-LABEL: define ptr @f(
; CHECK: %given = callbr i32 asm
; CHECK: store i32 %sum, ptr %{{.*}}
; CHECK: store i32 %product, ptr %{{.*}}
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK-NOT: callbr
; OUT: {{^}}6 15 {{$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %given = callbr i32 asm "mov $1, $0", "=r,r,!i"(i32 %n) to label %straight [label %done]

straight:
  %sum = add i32 %given, 1
  %product = mul i32 %given, 3
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %out [ i8 0, label %resumed
                                  i8 1, label %done ]

resumed:
  call void @show(i32 %sum)
  call void @show(i32 %product)
  br label %done

done:
  %dead = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define void @show(i32 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define i32 @main() {
  %frame = call ptr @f(i32 5)
  call void @llvm.coro.resume(ptr %frame)
  ret i32 0
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.size.i64()
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
