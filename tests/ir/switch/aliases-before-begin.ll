; Pointers into an alloca from before coro.begin, by a GEP, a select and a PHI, follow the alloca into the frame.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: call {{.*}}@llvm.coro
; OUT: {{^}}11 12 13 14{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"

define ptr @f(i1 %which) presplitcoroutine {
entry:
  %numbers = alloca [4 x i32]
  %first = getelementptr [4 x i32], ptr %numbers, i64 0, i64 0
  %second = getelementptr [4 x i32], ptr %numbers, i64 0, i64 1
  %third = getelementptr i8, ptr %second, i64 4
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %fourth = getelementptr [4 x i32], ptr %numbers, i64 0, i64 3
  %chosen = select i1 %which, ptr %third, ptr %fourth
  br i1 %which, label %left, label %right

left:
  br label %join

right:
  br label %join

join:
  %other = phi ptr [ %fourth, %left ], [ %third, %right ]
  store i32 11, ptr %first
  store i32 12, ptr %second
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  store i32 13, ptr %chosen
  store i32 14, ptr %other
  %a = load i32, ptr %first
  call void @show(i32 %a)
  %b = load i32, ptr %second
  call void @show(i32 %b)
  %c = load i32, ptr %third
  call void @show(i32 %c)
  %d = load i32, ptr %fourth
  call void @show(i32 %d)
  br label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define void @show(i32 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define i32 @main() {
  %handle = call ptr @f(i1 true)
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
