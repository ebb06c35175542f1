; A cheap chain is rematerialized after the suspend instead of spilled, also through a temporary without other uses:
; only the root of the live values is in the frame.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK: define ptr @f(ptr %base)
; CHECK: call ptr @malloc(i32 {{24|32}})
; CHECK: define internal fastcc void @f.resume(
; CHECK-DAG: getelementptr i8, ptr %{{.*}}, i64 12
; CHECK-DAG: ptrtoint ptr
; CHECK-DAG: and i64
; CHECK: define internal fastcc void @f.destroy(
; OUT: {{^}}7 7 0 1{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"
@table = constant [8 x i32] [i32 1, i32 3, i32 5, i32 7, i32 11, i32 13, i32 17, i32 19]

define ptr @f(ptr %base) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %element = getelementptr i8, ptr %base, i64 12
  %address = ptrtoint ptr %base to i64
  %low = and i64 %address, 3
  %before = load i32, ptr %element
  call void @show(i32 %before)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  %after = load i32, ptr %element
  call void @show(i32 %after)
  %low.int = trunc i64 %low to i32
  call void @show(i32 %low.int)
  %first = load i32, ptr %base
  call void @show(i32 %first)
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
  %handle = call ptr @f(ptr @table)
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
