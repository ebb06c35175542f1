; The ramp has the code after the suspend as well, which the coroutine executes when it is resumed. There it does not
; store the content of the swifterror value into the frame, which the ramp no longer owns.
; RUN: pycoro opt %s -check-lowering -passes='coro-early,cgscc(coro-split)' -S 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: error:
; CHECK-NOT: the lowering is not checked
; CHECK: define internal fastcc void @f.resume(
define ptr @f(ptr %memory, i32 %n) presplitcoroutine {
entry:
  %error = alloca swifterror ptr
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr null, ptr %error
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %again ]
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  call void @say(i8 %s)
  %stays = icmp slt i8 %s, 0
  br i1 %stays, label %out, label %either

either:
  %goes = icmp eq i8 %s, 0
  br i1 %goes, label %again, label %out

again:
  call swiftcc void @raise(ptr swifterror %error)
  %held = load ptr, ptr %error
  call void @show(ptr %held)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out

out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare swiftcc void @raise(ptr swifterror)
declare void @show(ptr)
declare void @say(i8)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
