; A suspend after a call of another coroutine's resume function is unrelated, though that ramp was inlined and its
; coro.begin is in this function.
; RUN: pycoro opt %s -passes='coro-early,cgscc(inline,coro-split),coro-cleanup' -S | FileCheck %s
; RUN: pycoro opt %s -passes='coro-early,cgscc(inline,coro-split),coro-cleanup' -S | lli-22 | FileCheck %s --check-prefix=OUT

; CHECK-LABEL: define internal ptr @parent(
; CHECK: call fastcc void %{{.*}}(ptr %
; CHECK: define internal fastcc void @parent.resume(
; OUT: {{^}}1 2{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@number = private constant [4 x i8] c"%d \00"

define internal ptr @child() presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %more
    i8 1, label %destroy
  ]

more:
  call void @show(i32 1)
  br label %destroy

destroy:
  %block = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define internal ptr @parent() presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %child = call ptr @child()
  call void @llvm.coro.resume(ptr %child)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %more
    i8 1, label %destroy
  ]

more:
  call void @show(i32 2)
  br label %destroy

destroy:
  %block = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define void @show(i32 %value) noinline {
  %printed = call i32 (ptr, ...) @printf(ptr @number, i32 %value)
  ret void
}

define i32 @main() {
  %handle = call ptr @parent()
  call void @llvm.coro.resume(ptr %handle)
  ret i32 0
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
