; An address that escaped in one lifetime may be written through from the start of the next: its bytes are not shared
; from then on.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup' -S -o %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; OUT: 7 100 7 100 7 100

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@known = global ptr null
@text = private constant [4 x i8] c"%d \00"

define internal ptr @f() presplitcoroutine {
entry:
  %a = alloca i32
  %b = alloca i32
  %none = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr %none, ptr @known
  br label %loop
loop:
  call void @llvm.lifetime.start.p0(ptr %b)
  store i32 7, ptr %b
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %middle
                             i8 1, label %cleanup ]
middle:
  call void @llvm.lifetime.start.p0(ptr %a)
  call void @write(i32 3)
  %v = load i32, ptr %b
  call void @say(i32 %v)
  call void @llvm.lifetime.end.p0(ptr %b)
  call void @keep(ptr %a)
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %out [ i8 0, label %last
                             i8 1, label %cleanup ]
last:
  %w = load i32, ptr %a
  call void @say(i32 %w)
  call void @llvm.lifetime.end.p0(ptr %a)
  br label %loop
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %old)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define internal void @keep(ptr %a) noinline optnone {
  store i32 100, ptr %a
  store ptr %a, ptr @known
  ret void
}

define i32 @main() {
  %h = call ptr @f()
  call void @llvm.coro.resume(ptr %h)
  call void @llvm.coro.resume(ptr %h)
  call void @llvm.coro.resume(ptr %h)
  call void @llvm.coro.resume(ptr %h)
  call void @llvm.coro.resume(ptr %h)
  call void @llvm.coro.resume(ptr %h)
  call void @llvm.coro.destroy(ptr %h)
  ret i32 0
}

define internal void @write(i32 %value) noinline optnone {
  %address = load ptr, ptr @known
  store i32 %value, ptr %address
  ret void
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
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
