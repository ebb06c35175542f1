; One block runs inside a handler and outside of it. It belongs to neither: no pad's token may be used where control
; comes without entering the pad. The split's calls there have no funclet bundle.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S | FileCheck %s

; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: out:
; CHECK: call void @f.drop(ptr %{{[0-9]*}}, ptr %room.reload{{[0-9]*}}) [ "funclet"(token %pad) ]
; CHECK-NEXT: catchret from %pad
; CHECK: cleanup:
; CHECK: call void @f.drop(ptr %{{[0-9]*}}, ptr %room.reload{{[0-9]*}}){{$}}

define ptr @f(ptr %memory, i32 %n, i1 %c) presplitcoroutine personality ptr @__CxxFrameHandler3 {
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
  br i1 %c, label %cleanup, label %out

out:
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
