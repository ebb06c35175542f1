; Three suspends in a row with different live values: every resume continues after the last suspend.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: call {{.*}}@llvm.coro
; CHECK: define internal fastcc void @f.resume(
; CHECK: switch i{{[0-9]+}}
; OUT: {{^}}1 100 10 200 20 300 30 400 done{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"
@done = private constant [5 x i8] c"done\00"

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %a = call i32 @show(i32 %n)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %suspend [
    i8 0, label %second
    i8 1, label %cleanup
  ]

second:
  %b = mul i32 %a, 10
  %b.shown = call i32 @show(i32 %b)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %suspend [
    i8 0, label %third
    i8 1, label %cleanup
  ]

third:
  %c = add i32 %b.shown, %b
  %c.shown = call i32 @show(i32 %c)
  %s3 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s3, label %suspend [
    i8 0, label %fourth
    i8 1, label %cleanup
  ]

fourth:
  %d = add i32 %c.shown, %b.shown
  %d.shown = call i32 @show(i32 %d)
  br label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define i32 @show(i32 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret i32 %v
}

define i32 @main() {
  %handle = call ptr @f(i32 1)
  call i32 @show(i32 100)
  call void @llvm.coro.resume(ptr %handle)
  call i32 @show(i32 200)
  call void @llvm.coro.resume(ptr %handle)
  call i32 @show(i32 300)
  call void @llvm.coro.resume(ptr %handle)
  call i32 @show(i32 400)
  call i32 (ptr, ...) @printf(ptr @done)
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
