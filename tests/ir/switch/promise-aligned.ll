; A promise with alignment 64 starts at the first multiple of 64 after the header; the requested size is a multiple of
; the alignment. LLVM 22's size is not rounded up.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: call {{.*}}@llvm.coro
; CHECK: call ptr @aligned_alloc(i64 64, i64 128)
; OUT: {{^}}64 0 7{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"

define ptr @f() presplitcoroutine {
entry:
  %promise = alloca [4 x i32], align 64
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @aligned_alloc(i64 64, i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store i32 7, ptr %promise
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  %kept = load i32, ptr %promise
  call void @show(i32 %kept)
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
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 64, i1 false)
  %handle.int = ptrtoint ptr %handle to i64
  %promise.int = ptrtoint ptr %promise to i64
  %offset = sub i64 %promise.int, %handle.int
  %offset.int = trunc i64 %offset to i32
  call void @show(i32 %offset.int)
  %rest = and i64 %promise.int, 63
  %rest.int = trunc i64 %rest to i32
  call void @show(i32 %rest.int)
  call void @llvm.coro.resume(ptr %handle)
  ret i32 0
}

declare ptr @llvm.coro.promise(ptr, i32, i1)
declare i64 @llvm.coro.size.i64()
declare ptr @aligned_alloc(i64, i64)

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.resume(ptr)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
