; A PHI whose inputs come from both sides of a suspend, and one that only lives after it.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: call {{.*}}@llvm.coro
; OUT: {{^}}15 5 21 1{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"

define ptr @f(i32 %n, i1 %wait) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %straight = add i32 %n, 4
  br i1 %wait, label %stop, label %join

stop:
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  %late = add i32 %n, 10
  br label %join

join:
  %value = phi i32 [ %straight, %entry ], [ %late, %resume ]
  %was.late = phi i32 [ 1, %entry ], [ 5, %resume ]
  call void @show(i32 %value)
  %again = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %again, label %suspend [
    i8 0, label %last
    i8 1, label %cleanup
  ]

last:
  call void @show(i32 %was.late)
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
  %waits = call ptr @f(i32 5, i1 true)
  call void @llvm.coro.resume(ptr %waits)
  call void @llvm.coro.resume(ptr %waits)
  %goes = call ptr @f(i32 17, i1 false)
  call void @llvm.coro.resume(ptr %goes)
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
