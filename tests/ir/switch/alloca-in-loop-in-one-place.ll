; One slot suffices for an alloca in a loop if iterations do not use each other's memory: its address stays within the
; iteration, or its lifetime ends with it even if the address escapes. It is in the frame, as in LLVM's lowering.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S | FileCheck %s

; CHECK-NOT: @malloc
; CHECK-NOT: @llvm.coro
; CHECK-LABEL: define {{.*}}@within(
; CHECK-LABEL: define {{.*}}@ended(
; CHECK-LABEL: define {{.*}}@left(
; CHECK-LABEL: define {{.*}}@within.resume(
; CHECK-NOT: = alloca
; CHECK-LABEL: define {{.*}}@ended.resume(
; CHECK-NOT: = alloca
; CHECK-LABEL: define {{.*}}@left.resume(
; CHECK-NOT: = alloca

; Parts of it are chosen between, in front of what the alloca dominates.
define ptr @within(i32 %n, i1 %which) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @allocate(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %met ]
  %pair = alloca [2 x i32]
  %second = getelementptr i8, ptr %pair, i64 4
  store i32 %i, ptr %pair
  store i32 %n, ptr %second
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  br i1 %which, label %other, label %met

other:
  br label %met

met:
  %at = phi ptr [ %pair, %resume ], [ %second, %other ]
  %value = load i32, ptr %at
  call void @show(i32 %value)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @deallocate(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

; Others are given the address. The lifetime ends on both ways round.
define ptr @ended(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @allocate(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %resume ], [ %next, %skip ]
  %next = add i32 %i, 1
  %one = alloca i32
  %even = trunc i32 %i to i1
  br i1 %even, label %skip, label %use

skip:
  br label %loop

use:
  call void @llvm.lifetime.start.p0(ptr %one)
  call void @give(ptr %one)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  call void @give(ptr %one)
  call void @llvm.lifetime.end.p0(ptr %one)
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @deallocate(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

; The last one is given away behind the loop, and is one of two addresses there.
define ptr @left(i32 %n, ptr %given) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @allocate(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %turn ]
  %out = icmp eq i32 %i, 5
  br i1 %out, label %behind, label %turn

turn:
  %one = alloca i32
  store i32 %i, ptr %one
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %behind

behind:
  %last = phi ptr [ %given, %loop ], [ %one, %turn ]
  call void @give(ptr %last)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  call void @give(ptr %last)
  br label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @deallocate(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare ptr @allocate(i64)
declare void @deallocate(ptr)
declare void @give(ptr)
declare void @show(i32)
