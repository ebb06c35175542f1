; One fallthrough coro.end for the normal exit, one that unwinds, and a coroutine that uses both. After the unwinding
; one it is done, and the frame still exists.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: call {{.*}}@llvm.coro
; OUT: {{^}}1 2 4 1 3 5{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"

define ptr @f(i1 %odd) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @show(i32 1)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  br i1 %odd, label %strange, label %plain

plain:
  call void @show(i32 2)
  br label %cleanup

strange:
  call void @show(i32 3)
  %handle = call ptr @llvm.coro.frame()
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %in.ramp, label %unwound

in.ramp:
  ret ptr %frame

unwound:
  call void @leave(ptr %handle)
  unreachable

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
  %a = call ptr @f(i1 false)
  call void @llvm.coro.resume(ptr %a)
  call void @show(i32 4)
  %b = call ptr @f(i1 true)
  call void @llvm.coro.resume(ptr %b)
  ret i32 1
}

define void @leave(ptr %handle) noreturn {
  %done = call i1 @llvm.coro.done(ptr %handle)
  %done.int = select i1 %done, i32 5, i32 6
  call void @show(i32 %done.int)
  call void @exit(i32 0)
  unreachable
}

declare i1 @llvm.coro.is_in_ramp()

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i32 @llvm.coro.size.i32()
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.resume(ptr)
declare i1 @llvm.coro.done(ptr)
declare ptr @llvm.coro.frame()
declare void @exit(i32)
declare ptr @malloc(i32)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
