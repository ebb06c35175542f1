; A returned-continuation coroutine that never suspends: its frame is the caller's buffer, and it ends at once. LLVM
; makes the buffer poison.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: @llvm.coro
; CHECK-LABEL: define ptr @f(ptr %buffer, i32 %n)
; CHECK: store i32 %n, ptr %buffer
; CHECK: ret ptr null
; OUT: 7 ended

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"
@ended = private constant [7 x i8] c"ended\0A\00"

define ptr @f(ptr %buffer, i32 %n) {
entry:
  %id = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @malloc, ptr @free)
  %frame = call ptr @llvm.coro.begin(token %id, ptr null)
  store i32 %n, ptr %frame
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  unreachable
}

define i32 @main() {
  %buffer = alloca [8 x i8], align 8
  %go = call ptr @f(ptr %buffer, i32 7)
  %n = load i32, ptr %buffer
  call i32 (ptr, ...) @printf(ptr @int, i32 %n)
  %null = icmp eq ptr %go, null
  br i1 %null, label %end, label %bad
end:
  call i32 (ptr, ...) @printf(ptr @ended)
  ret i32 0
bad:
  ret i32 1
}

declare ptr @prototype(ptr, i1 zeroext)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
