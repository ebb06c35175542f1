; A large alloca whose lifetime is between two suspends has no field in the frame.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK: define ptr @f()
; CHECK: call ptr @malloc(i32 {{[1-9]?[0-9]}})
; CHECK: define internal fastcc void @f.resume(
; CHECK: alloca [800 x i8]
; CHECK: define internal fastcc void @f.destroy(
; CHECK-NOT: call {{.*}}@llvm.coro
; OUT: {{^}}3 4{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"

define ptr @f() presplitcoroutine {
entry:
  %big = alloca [800 x i8]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %suspend [
    i8 0, label %between
    i8 1, label %cleanup
  ]

between:
  call void @llvm.lifetime.start.p0(ptr %big)
  call void @fill(ptr %big, i32 3)
  %first = load i32, ptr %big
  call void @show(i32 %first)
  call void @llvm.lifetime.end.p0(ptr %big)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %suspend [
    i8 0, label %last
    i8 1, label %cleanup
  ]

last:
  call void @show(i32 4)
  br label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define void @fill(ptr %p, i32 %v) {
  store i32 %v, ptr %p
  ret void
}

define void @show(i32 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define i32 @main() {
  %handle = call ptr @f()
  call void @llvm.coro.resume(ptr %handle)
  call void @llvm.coro.resume(ptr %handle)
  ret i32 0
}

declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)

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
