; Destroyed at each of its suspends, a coroutine runs the cleanup on that suspend's destroy edge.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: call {{.*}}@llvm.coro
; CHECK: define internal fastcc void @f.destroy(
; OUT: {{^}}31 99 32 31 99 33 32 31 99{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %suspend [
    i8 0, label %second
    i8 1, label %undo.first
  ]

second:
  %n2 = add i32 %n, 1
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %suspend [
    i8 0, label %third
    i8 1, label %undo.second
  ]

third:
  %n3 = add i32 %n2, 1
  %s3 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s3, label %suspend [
    i8 0, label %undo.third
    i8 1, label %undo.third
  ]

undo.third:
  call void @show(i32 %n3)
  br label %undo.second

undo.second:
  call void @show(i32 %n2)
  br label %undo.first

undo.first:
  call void @show(i32 %n)
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
entry:
  br label %loop

loop:
  %times = phi i32 [ 0, %entry ], [ %times.next, %destroy ]
  %handle = call ptr @f(i32 31)
  br label %check

check:
  %i = phi i32 [ 0, %loop ], [ %i.next, %resume ]
  %more = icmp ult i32 %i, %times
  br i1 %more, label %resume, label %destroy

resume:
  call void @llvm.coro.resume(ptr %handle)
  %i.next = add i32 %i, 1
  br label %check

destroy:
  call void @llvm.coro.destroy(ptr %handle)
  call void @show(i32 99)
  %times.next = add i32 %times, 1
  %again = icmp ult i32 %times.next, 3
  br i1 %again, label %loop, label %out

out:
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
