; The address of an alloca that moves to the frame, converted to an integer before coro.begin: afterwards it is the
; integer of the field's address.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: lli-22 %t.ll | FileCheck %s
; UNSUPPORTED: reference

; CHECK: same 7

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@text = private constant [9 x i8] c"same %d\0A\00"

define ptr @f() presplitcoroutine {
entry:
  %x = alloca i32
  %number = ptrtoint ptr %x to i64
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store i32 0, ptr %x
  call void @set(i64 %number)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %more
                             i8 1, label %cleanup ]
more:
  %value = load i32, ptr %x
  call i32 (ptr, ...) @printf(ptr @text, i32 %value)
  br label %cleanup
cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %dead)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define void @set(i64 %number) {
  %x = inttoptr i64 %number to ptr
  store i32 7, ptr %x
  ret void
}

define i32 @main() {
  %frame = call ptr @f()
  call void @llvm.coro.resume(ptr %frame)
  ret i32 0
}

declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
