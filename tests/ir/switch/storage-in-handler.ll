; A handler is reached from both sides of a suspend, so that the address of memory that it frees is reloaded inside it:
; the block of the catchswitch has no insertion point, and a PHI of tokens is invalid.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S | FileCheck %s

; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: resume:
; CHECK: invoke void @may.throw()
; CHECK: dispatch:
; CHECK-NEXT: catchswitch within none
; CHECK: handler:
; CHECK-NEXT: catchpad within
; CHECK-NEXT: %room.reload = load ptr
; CHECK-NEXT: call void @f.drop(ptr %{{.*}}, ptr %room.reload)

define ptr @f(ptr %memory, i32 %n) presplitcoroutine personality ptr @__CxxFrameHandler3 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %room = call token @llvm.coro.alloca.alloc.i32(i32 %n, i32 8)
  br label %first

first:
  %i = phi i32 [ 0, %entry ], [ 1, %again ]
  invoke void @may.throw()
          to label %wait unwind label %dispatch

wait:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  invoke void @may.throw()
          to label %again unwind label %dispatch

again:
  %more = icmp eq i32 %i, 0
  br i1 %more, label %first, label %cleanup

dispatch:
  %handlers = catchswitch within none [label %handler] unwind to caller

handler:
  %pad = catchpad within %handlers [ptr null, i32 64, ptr null]
  call void @llvm.coro.alloca.free(token %room) [ "funclet"(token %pad) ]
  catchret from %pad to label %suspend

cleanup:
  call void @llvm.coro.alloca.free(token %room)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare void @may.throw()
declare void @free(ptr)
declare i32 @__CxxFrameHandler3(...)
