; A common operand of several values is spilled in their place if it is smaller than they are together, and no larger
; than any: @f spills one pointer instead of two addresses, @chains the operand of three sums, @narrow an i32 instead of
; its i64 extension and its quotient by a constant. @halves spills two halves, which are smaller than the whole, and
; @sums two sums of two values. LLVM 22 requests 32 bytes for @f, @chains and @narrow, and 40 for @sums.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-LABEL: define ptr @f(
; CHECK: call ptr @malloc(i64 24)
; CHECK-LABEL: define ptr @chains(
; CHECK: call ptr @malloc(i64 24)
; CHECK-LABEL: define ptr @narrow(
; CHECK: call ptr @malloc(i64 24)
; CHECK-LABEL: define ptr @halves(
; CHECK: call ptr @malloc(i64 24)
; CHECK-LABEL: define ptr @sums(
; CHECK: call ptr @malloc(i64 32)
; OUT: {{^}}3 5 8 11 17 -4 -1 7 9 30 40{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [6 x i8] c"%lld \00"
@table = constant [3 x i64] [i64 1, i64 3, i64 5]

define ptr @f(ptr %object) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %second = getelementptr i8, ptr %object, i64 8
  %third = getelementptr i8, ptr %object, i64 16
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %out [ i8 0, label %on
                                  i8 1, label %out ]
on:
  %a = load i64, ptr %second
  call void @show(i64 %a)
  %b = load i64, ptr %third
  call void @show(i64 %b)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @chains(i64 %n) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %one = add i64 %n, 1
  %four = add i64 %one, 3
  %all = add i64 %four, 6
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %out [ i8 0, label %on
                                  i8 1, label %out ]
on:
  call void @show(i64 %one)
  call void @show(i64 %four)
  %both = add i64 %all, 0
  call void @show(i64 %both)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @narrow(i32 %n) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %wide = sext i32 %n to i64
  %third = sdiv i64 %wide, 3
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %out [ i8 0, label %on
                                  i8 1, label %out ]
on:
  call void @show(i64 %wide)
  call void @show(i64 %third)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @halves(i64 %n) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %low = trunc i64 %n to i32
  %shifted = lshr i64 %n, 32
  %high = trunc i64 %shifted to i32
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %out [ i8 0, label %on
                                  i8 1, label %out ]
on:
  %a = sext i32 %low to i64
  call void @show(i64 %a)
  %b = sext i32 %high to i64
  call void @show(i64 %b)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @sums(i64 %n, i64 %m) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %sum = add i64 %n, %m
  %scaled = mul i64 %n, %m
  %difference = add i64 %scaled, 40
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %out [ i8 0, label %on
                                  i8 1, label %out ]
on:
  call void @show(i64 %sum)
  call void @show(i64 %difference)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define void @show(i64 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i64 %v)
  ret void
}

define i32 @main() {
  %f = call ptr @f(ptr @table)
  call void @llvm.coro.resume(ptr %f)
  %chains = call ptr @chains(i64 7)
  call void @llvm.coro.resume(ptr %chains)
  %narrow = call ptr @narrow(i32 -4)
  call void @llvm.coro.resume(ptr %narrow)
  %halves = call ptr @halves(i64 38654705671)
  call void @llvm.coro.resume(ptr %halves)
  %sums = call ptr @sums(i64 0, i64 30)
  call void @llvm.coro.resume(ptr %sums)
  ret i32 0
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.size.i64()
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare ptr @malloc(i64)
declare i32 @printf(ptr, ...)
