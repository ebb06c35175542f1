; If coro.alloc decides, the frame stores the destroy function: f.destroy, which frees, if it was allocated; otherwise
; f.cleanup, which does not. coro-cleanup removes its uses, because no caller has elided the frame.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split)' -S | FileCheck %s
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s --check-prefix=CLEAN < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK: define ptr @f(
; CHECK-DAG: @f.destroy
; CHECK-DAG: @f.cleanup
; CHECK: define internal fastcc void @f.destroy(
; CHECK: call void @release(
; CHECK: define internal fastcc void @f.cleanup(
; CLEAN: define ptr @f(
; CLEAN-NOT: @f.cleanup
; CLEAN-NOT: call {{.*}}@llvm.coro
; CLEAN: define internal fastcc void @f.resume(
; CLEAN-NOT: %destroy.addr
; CLEAN: call void @release(ptr %frame)
; CLEAN: define internal fastcc void @f.destroy(
; OUT: {{^}}1 55 77{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"

define ptr @f() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %needed = call i1 @llvm.coro.alloc(token %id)
  br i1 %needed, label %allocate, label %begin

allocate:
  call void @show(i32 1)
  %size = call i32 @llvm.coro.size.i32()
  %fresh = call ptr @malloc(i32 %size)
  br label %begin

begin:
  %memory = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %cleanup
    i8 1, label %cleanup
  ]

cleanup:
  call void @show(i32 55)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  %owned = icmp ne ptr %block, null
  br i1 %owned, label %give.back, label %suspend

give.back:
  call void @release(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define void @release(ptr %block) noinline {
  call void @free(ptr %block)
  call void @show(i32 77)
  ret void
}

define void @show(i32 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define i32 @main() {
  %handle = call ptr @f()
  call void @llvm.coro.destroy(ptr %handle)
  ret i32 0
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare i32 @llvm.coro.size.i32()
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.destroy(ptr)
declare ptr @malloc(i32)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
