; At its final suspend a coroutine is done, its resume slot is null, and it can only be destroyed, which is not marked
; unlikely.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: call {{.*}}@llvm.coro
; CHECK: define internal fastcc void @f.resume(
; CHECK: store ptr null, ptr
; CHECK: define internal fastcc void @f.destroy(
; CHECK-NOT: !prof
; OUT: {{^}}0 1 1 9{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"

define ptr @f() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %suspend [
    i8 0, label %finish
    i8 1, label %cleanup
  ]

finish:
  %s2 = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s2, label %suspend [
    i8 0, label %never
    i8 1, label %destroyed
  ]

never:
  unreachable

destroyed:
  call void @show(i32 9)
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
  %handle = call ptr @f()
  %early = call i1 @llvm.coro.done(ptr %handle)
  %early.int = zext i1 %early to i32
  call void @show(i32 %early.int)
  call void @llvm.coro.resume(ptr %handle)
  %late = call i1 @llvm.coro.done(ptr %handle)
  %late.int = zext i1 %late to i32
  call void @show(i32 %late.int)
  %slot = load ptr, ptr %handle
  %null = icmp eq ptr %slot, null
  %null.int = zext i1 %null to i32
  call void @show(i32 %null.int)
  call void @llvm.coro.destroy(ptr %handle)
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
declare i1 @llvm.coro.done(ptr)
declare ptr @malloc(i32)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
