; Memory from llvm.coro.alloca.alloc is on the stack of the clone: a `tail` call that receives it must lose the marker,
; or its stores could be removed.
; RUN: pycoro opt %s -passes="cgscc(coro-split)" -S | FileCheck %s
; RUN: pycoro opt %s -passes='default<O2>' -S | lli-22 | FileCheck %s --check-prefix=OUT

; CHECK-LABEL: define internal ptr @f(
; CHECK: {{^}}  call void @set(ptr
; OUT: {{^}}7{{$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@number = private constant [4 x i8] c"%d\0A\00"

define internal ptr @f(ptr %memory) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %room = call token @llvm.coro.alloca.alloc.i64(i64 4, i32 4)
  %place = call ptr @llvm.coro.alloca.get(token %room)
  tail call void @set(ptr %place)
  %value = load i32, ptr %place
  call void @llvm.coro.alloca.free(token %room)
  %printed = call i32 (ptr, ...) @printf(ptr @number, i32 %value)
  %s = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s, label %end [
    i8 1, label %end
  ]

end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define internal void @set(ptr %place) noinline {
  store i32 7, ptr %place
  ret void
}

define i32 @main() {
  %memory = call ptr @malloc(i64 256)
  %handle = call ptr @f(ptr %memory)
  call void @llvm.coro.destroy(ptr %handle)
  ret i32 0
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.destroy(ptr)
declare token @llvm.coro.alloca.alloc.i64(i64, i32)
declare ptr @llvm.coro.alloca.get(token)
declare void @llvm.coro.alloca.free(token)
declare ptr @malloc(i64)
declare i32 @printf(ptr, ...)
