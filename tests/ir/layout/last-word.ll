; The size of a frame from malloc ends with the word of its last byte, even with a larger alignment: clang aligns arrays
; to 16. A frame allocated with its alignment has a multiple of it as its size, as aligned_alloc requires. LLVM 22
; requests 64 bytes in both cases.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o - | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define ptr @usual()
; CHECK: call ptr @malloc(i64 56)
define ptr @usual() presplitcoroutine {
  %array = alloca [10 x i32], align 16
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @fill(ptr %array)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %out [ i8 0, label %on
                                  i8 1, label %out ]
on:
  call void @fill(ptr %array)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

; CHECK-LABEL: define ptr @asked()
; CHECK: call ptr @aligned_alloc(i64 16, i64 64)
; CHECK: define internal fastcc void @usual.resume({{.*}} align 16 dereferenceable(56)
define ptr @asked() presplitcoroutine {
  %array = alloca [10 x i32], align 16
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %align = call i64 @llvm.coro.align.i64()
  %memory = call ptr @aligned_alloc(i64 %align, i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @fill(ptr %array)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %out [ i8 0, label %on
                                  i8 1, label %out ]
on:
  call void @fill(ptr %array)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.size.i64()
declare i64 @llvm.coro.align.i64()
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare ptr @aligned_alloc(i64, i64)
declare void @fill(ptr)
