; The ramp captures an address that the coroutine stores in its frame: a caller must not remove a store after the call
; that the coroutine reads.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -passes='default<O2>' -S -o %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; OUT: 2

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@known = global ptr null
@text = private constant [4 x i8] c"%d \00"

define internal ptr @f(ptr captures(none) %p) noinline presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  %v = load i32, ptr %p
  call void @say(i32 %v)
  %t = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %t, label %out [ i8 1, label %cleanup ]
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %old)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define i32 @main() {
  %x = alloca i32
  store i32 1, ptr %x
  %h = call ptr @f(ptr %x)
  store ptr %h, ptr @known
  store i32 2, ptr %x
  %again = load ptr, ptr @known
  call void @llvm.coro.resume(ptr %again)
  call void @llvm.coro.destroy(ptr %again)
  ret i32 0
}

define internal void @say(i32 %value) noinline optnone {
  %n = call i32 (ptr, ...) @printf(ptr @text, i32 %value)
  ret void
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
