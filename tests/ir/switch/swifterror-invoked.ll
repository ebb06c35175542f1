; An invoke's swifterror is spilled in a separate block on the normal edge; on the unwind edge the frame has the earlier
; value.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S | FileCheck %s

; CHECK-LABEL: define ptr @f(
; CHECK: invoke swiftcc void @try(ptr swifterror %[[OWN:.*]])
; CHECK-NEXT: to label %spill unwind label %pad
; CHECK: spill:
; CHECK-NEXT: %[[HELD:.*]] = load ptr, ptr %[[OWN]]
; CHECK-NEXT: store ptr %[[HELD]], ptr %own.reload.addr
; CHECK-NEXT: br label %
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: %own = alloca swifterror ptr
; CHECK: call void @show(

define ptr @f(ptr %memory) presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %own = alloca swifterror ptr
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr null, ptr %own
  invoke swiftcc void @try(ptr swifterror %own)
          to label %tried unwind label %pad

pad:
  %caught = landingpad { ptr, i32 }
          catch ptr null
  br label %tried

tried:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %suspend
  ]

resume:
  %held = load ptr, ptr %own
  call void @show(ptr %held)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare swiftcc void @try(ptr swifterror)
declare void @show(ptr)
declare i32 @__gxx_personality_v0(...)
