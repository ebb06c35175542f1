; await.suspend.void calls its wrapper and suspends; await.suspend.bool suspends only when its wrapper says so.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: call {{.*}}@llvm.coro
; OUT: {{^}}1 20 100 2 30{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"

define ptr @f() presplitcoroutine {
entry:
  %awaiter = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store i32 1, ptr %awaiter
  %save1 = call token @llvm.coro.save(ptr %frame)
  call void @llvm.coro.await.suspend.void(ptr %awaiter, ptr %frame, ptr @note)
  %s1 = call i8 @llvm.coro.suspend(token %save1, i1 false)
  switch i8 %s1, label %suspend [
    i8 0, label %second
    i8 1, label %cleanup
  ]

second:
  call void @show(i32 100)
  %save2 = call token @llvm.coro.save(ptr %frame)
  %stay = call i1 @llvm.coro.await.suspend.bool(ptr %awaiter, ptr %frame, ptr @decline)
  br i1 %stay, label %stop, label %last

stop:
  %s2 = call i8 @llvm.coro.suspend(token %save2, i1 false)
  switch i8 %s2, label %suspend [
    i8 0, label %last
    i8 1, label %cleanup
  ]

last:
  call void @show(i32 30)
  br label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define void @note(ptr %awaiter, ptr %self) {
  %v = load i32, ptr %awaiter
  call void @show(i32 %v)
  store i32 2, ptr %awaiter
  ret void
}

define i1 @decline(ptr %awaiter, ptr %self) {
  %v = load i32, ptr %awaiter
  call void @show(i32 %v)
  ret i1 false
}

define void @show(i32 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define i32 @main() {
  %handle = call ptr @f()
  call void @show(i32 20)
  call void @llvm.coro.resume(ptr %handle)
  ret i32 0
}

declare void @llvm.coro.await.suspend.void(ptr, ptr, ptr)
declare i1 @llvm.coro.await.suspend.bool(ptr, ptr, ptr)

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i32 @llvm.coro.size.i32()
declare token @llvm.coro.save(ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.resume(ptr)
declare ptr @malloc(i32)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
