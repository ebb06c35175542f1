; Suspends in a cycle with two entries: no block of it dominates the others, and values still arrive.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: call {{.*}}@llvm.coro
; OUT: {{^}}101 1 201 102 2 202 103 7 207 108{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"

define ptr @f(i1 %right.first, i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br i1 %right.first, label %right, label %left

left:
  %a = phi i32 [ %n, %entry ], [ %b.next, %right.on ]
  %a.shown = add i32 %a, 100
  call void @show(i32 %a.shown)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %suspend [
    i8 0, label %left.on
    i8 1, label %cleanup
  ]

left.on:
  br label %right

right:
  %b = phi i32 [ %n, %entry ], [ %a, %left.on ]
  call void @show(i32 %b)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %suspend [
    i8 0, label %right.on
    i8 1, label %cleanup
  ]

right.on:
  %b.shown = add i32 %b, 200
  call void @show(i32 %b.shown)
  %b.next = add i32 %b, 1
  br label %left

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
  %x = call ptr @f(i1 false, i32 1)
  call void @llvm.coro.resume(ptr %x)
  call void @llvm.coro.resume(ptr %x)
  call void @llvm.coro.resume(ptr %x)
  call void @llvm.coro.resume(ptr %x)
  call void @llvm.coro.destroy(ptr %x)
  %y = call ptr @f(i1 true, i32 7)
  call void @llvm.coro.resume(ptr %y)
  call void @llvm.coro.destroy(ptr %y)
  ret i32 0
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i32 @llvm.coro.size.i32()
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare ptr @malloc(i32)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
