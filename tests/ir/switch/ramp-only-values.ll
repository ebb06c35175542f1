; Values that only the ramp uses after the coro.end where clones return are not spilled.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK: define ptr @f(i64 %a, i64 %b, i64 %c)
; CHECK: call ptr @malloc(i32 {{16|24}})
; CHECK-NOT: call {{.*}}@llvm.coro
; OUT: {{^}}6 1{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"
@sum = global i64 0

define ptr @f(i64 %a, i64 %b, i64 %c) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %x = call i64 @opaque(i64 %a)
  %y = call i64 @opaque(i64 %b)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  call void @show(i32 1)
  br label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  %xy = add i64 %x, %y
  %xyc = add i64 %xy, %c
  store i64 %xyc, ptr @sum
  ret ptr %frame
}

define i64 @opaque(i64 %v) noinline {
  ret i64 %v
}

define void @show(i32 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define i32 @main() {
  %handle = call ptr @f(i64 1, i64 2, i64 3)
  %s = load i64, ptr @sum
  %s.int = trunc i64 %s to i32
  call void @show(i32 %s.int)
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
