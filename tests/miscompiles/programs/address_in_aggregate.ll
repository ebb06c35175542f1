; Two variables are used behind the suspend only, but by addresses that an aggregate holds since before it, as they do when
; a loop's invariants are hoisted. Prints 30.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@format = private constant [4 x i8] c"%d\0A\00"

define ptr @f() presplitcoroutine {
entry:
  %a = alloca i32
  %b = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %one = insertvalue [2 x ptr] poison, ptr %a, 0
  %both = insertvalue [2 x ptr] %one, ptr %b, 1
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  call void @llvm.lifetime.start.p0(ptr %a)
  call void @llvm.lifetime.start.p0(ptr %b)
  store i32 10, ptr %a
  store i32 20, ptr %b
  %pa = extractvalue [2 x ptr] %both, 0
  %pb = extractvalue [2 x ptr] %both, 1
  %va = load i32, ptr %pa
  %vb = load i32, ptr %pb
  %sum = add i32 %va, %vb
  %shown = call i32 (ptr, ...) @printf(ptr @format, i32 %sum)
  call void @llvm.lifetime.end.p0(ptr %a)
  call void @llvm.lifetime.end.p0(ptr %b)
  br label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

; Writes on the part of the stack that the ramp used.
define void @scribble() noinline {
entry:
  %room = alloca [256 x i32], align 16
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr i32, ptr %room, i64 %i
  store volatile i32 7, ptr %place
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 256
  br i1 %more, label %loop, label %done

done:
  ret void
}

; Resumes further down the stack than where the ramp stood.
define void @resume.deeper(ptr %handle) noinline {
  %room = alloca [64 x i32], align 16
  store volatile i32 7, ptr %room
  call void @llvm.coro.resume(ptr %handle)
  ret void
}

define i32 @main() {
  %handle = call ptr @f()
  call void @scribble()
  call void @resume.deeper(ptr %handle)
  ret i32 0
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
