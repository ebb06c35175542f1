; If the end of the frame is unknown, an alloca in a loop that needs new memory for each iteration is rejected instead
; of sharing one slot.
; RUN: not pycoro opt %s -passes='coro-early,cgscc(coro-split)' -disable-output 2>&1 | FileCheck %s

; CHECK: an alloca of unknown size, or one that needs distinct memory per iteration, is live across a suspend, and no llvm.coro.free tells when it ends
; CHECK: --> @f, %loop: %one = alloca i32
; CHECK: help: free the frame with llvm.coro.free, or make the alloca static and outside of the loop, or end its lifetime before the next iteration

define ptr @f(i32 %n, ptr %memory) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %one = alloca i32
  call void @give(ptr %one)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %made

made:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %suspend
    i8 1, label %suspend
  ]

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare void @give(ptr)
