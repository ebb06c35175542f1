; The result of coro.is_in_ramp in the ramp stays true after a suspend: as a number and as a branch condition. LLVM 22's
; lowering prints the same.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: call {{.*}}@llvm.coro
; OUT: {{^}}1 11 0 20 1 11 0 20{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"

define ptr @f() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %then = call i1 @llvm.coro.is_in_ramp()
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s0, label %out [ i8 0, label %resumed
    i8 1, label %cleanup ]

resumed:
  call void @tell(i1 %then)
  br i1 %then, label %ramp, label %clone

ramp:
  call void @print(i32 11)
  br label %asks.again

clone:
  call void @print(i32 10)
  br label %asks.again

asks.again:
  %now = call i1 @llvm.coro.is_in_ramp()
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %again
    i8 1, label %cleanup ]

again:
  call void @tell(i1 %now)
  br i1 %now, label %ramp.again, label %clone.again

ramp.again:
  call void @print(i32 21)
  br label %cleanup

clone.again:
  call void @print(i32 20)
  br label %cleanup

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define void @tell(i1 %bit) {
  %number = zext i1 %bit to i32
  call void @print(i32 %number)
  ret void
}

define void @print(i32 %number) {
  %written = call i32 (ptr, ...) @printf(ptr @int, i32 %number)
  ret void
}

define i32 @main() {
  br label %loop

loop:
  %k = phi i32 [ 0, %0 ], [ %more, %loop ]
  %handle = call ptr @f()
  call void @llvm.coro.resume(ptr %handle)
  call void @llvm.coro.resume(ptr %handle)
  %more = add i32 %k, 1
  %last = icmp eq i32 %more, 2
  br i1 %last, label %end, label %loop

end:
  ret i32 0
}

declare i32 @printf(ptr, ...)
declare ptr @malloc(i32)
declare void @free(ptr)
