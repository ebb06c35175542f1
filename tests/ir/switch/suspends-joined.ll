; The results of two suspends meet in a PHI before the switch on it, with other values.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: call {{.*}}@llvm.coro
; OUT: {{^}}5 12 7 10{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"

define ptr @f(i1 %early) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br i1 %early, label %one, label %two

one:
  %x = call i32 @opaque(i32 5)
  %save.one = call token @llvm.coro.save(ptr %frame)
  %s1 = call i8 @llvm.coro.suspend(token %save.one, i1 false)
  br label %landed

two:
  %y = call i32 @opaque(i32 7)
  %save.two = call token @llvm.coro.save(ptr %frame)
  %s2 = call i8 @llvm.coro.suspend(token %save.two, i1 false)
  br label %landed

landed:
  %result = phi i8 [ %s1, %one ], [ %s2, %two ]
  %value = phi i32 [ %x, %one ], [ %y, %two ]
  %other = phi i32 [ 12, %one ], [ 10, %two ]
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  call void @show(i32 %value)
  call void @show(i32 %other)
  br label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define i32 @opaque(i32 %v) noinline {
  ret i32 %v
}

define void @show(i32 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define i32 @main() {
  %a = call ptr @f(i1 true)
  call void @llvm.coro.resume(ptr %a)
  %b = call ptr @f(i1 false)
  call void @llvm.coro.resume(ptr %b)
  ret i32 0
}

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
