; The content of a swifterror value is undefined after a call that was passed it has unwound: LLVM's code generator defines
; it on the normal edge only. After the call has returned it is spilled on that edge, before the coroutine suspends.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: the lowering is not checked
; CHECK-LABEL: define ptr @f(
; CHECK: spill:
; CHECK-NEXT: %[[HELD:.*]] = load ptr, ptr %[[OWN:.*]]
; CHECK-NEXT: store ptr %[[HELD]], ptr %own.reload.addr
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
  %undefined = load ptr, ptr %own
  call void @show(ptr %undefined)
  br label %suspend
tried:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [ i8 0, label %resume
                                  i8 1, label %suspend ]
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
