; A clone that frees the frame after an unwind end leaves nothing to destroy, so it does not suspend there. The free may
; be in the block of the end, or on all paths of the clones: in @always, a path that frees nothing does not return. In @ramp,
; only the ramp frees the frame; in @sometimes, one of the clones' paths does not; in @suspends, a path suspends before.
; RUN: pycoro opt %s -check-lowering -passes='coro-early,cgscc(coro-split)' -S -o %t.ll
; UNSUPPORTED: reference
; RUN: pycoro opt %s -passes=coro-early -S | FileCheck %s

; CHECK-LABEL: define ptr @at_once(
; CHECK-NOT: unwound.suspend
; CHECK-LABEL: define ptr @later(
; CHECK-NOT: unwound.suspend
; CHECK-LABEL: define ptr @always(
; CHECK-NOT: unwound.suspend
; CHECK-LABEL: define ptr @ramp(
; CHECK: %unwound.suspend = call i8 @llvm.coro.suspend(
; CHECK-LABEL: define ptr @sometimes(
; CHECK: br i1 %is.ramp, label %drop, label %unwound
; CHECK: unwound:
; CHECK-NEXT: %unwound.suspend = call i8 @llvm.coro.suspend(
; CHECK-NEXT: switch i8 %unwound.suspend, label %clone
; CHECK-LABEL: define ptr @suspends(
; CHECK: unwound:
; CHECK-NEXT: %unwound.suspend = call i8 @llvm.coro.suspend(

define ptr @at_once() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin

allocate:
  %memory = call ptr @malloc(i64 64)
  br label %begin

begin:
  %place = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %frame = call ptr @llvm.coro.begin(token %id, ptr %place)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  invoke void @may_throw()
          to label %cleanup unwind label %thrown

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr %frame, i1 true, token none)
  %thrown.memory = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %thrown.memory)
  resume { ptr, i32 } %exception

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @later() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %memory = call ptr @malloc(i64 64)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  invoke void @may_throw()
          to label %cleanup unwind label %thrown

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr %frame, i1 true, token none)
  %is.ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %is.ramp, label %drop, label %clone

clone:
  call void @note()
  br label %drop

drop:
  %thrown.memory = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %thrown.memory)
  resume { ptr, i32 } %exception

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @always() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %memory = call ptr @malloc(i64 64)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  invoke void @may_throw()
          to label %cleanup unwind label %thrown

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr %frame, i1 true, token none)
  %is.ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %is.ramp, label %drop, label %clone

clone:
  %decided = call i1 @decide()
  br i1 %decided, label %loop, label %end

loop:
  %again = call i1 @decide()
  br i1 %again, label %loop, label %drop

end:
  call void @exit(i32 1)
  unreachable

drop:
  %thrown.memory = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %thrown.memory)
  br label %propagate

propagate:
  resume { ptr, i32 } %exception

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @ramp() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %memory = call ptr @malloc(i64 64)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  invoke void @may_throw()
          to label %cleanup unwind label %thrown

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr %frame, i1 true, token none)
  %is.ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %is.ramp, label %drop, label %propagate

drop:
  %thrown.memory = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %thrown.memory)
  br label %propagate

propagate:
  resume { ptr, i32 } %exception

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @sometimes() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %memory = call ptr @malloc(i64 64)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  invoke void @may_throw()
          to label %cleanup unwind label %thrown

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr %frame, i1 true, token none)
  %is.ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %is.ramp, label %drop, label %clone

clone:
  %decided = call i1 @decide()
  br i1 %decided, label %drop, label %propagate

drop:
  %thrown.memory = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %thrown.memory)
  br label %propagate

propagate:
  resume { ptr, i32 } %exception

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @suspends() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %memory = call ptr @malloc(i64 64)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  invoke void @may_throw()
          to label %cleanup unwind label %thrown

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr %frame, i1 true, token none)
  %is.ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %is.ramp, label %drop, label %clone

clone:
  call void @note()
  %other = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %other, label %suspend [
    i8 0, label %drop
    i8 1, label %drop
  ]

drop:
  %thrown.memory = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %thrown.memory)
  br label %propagate

propagate:
  resume { ptr, i32 } %exception

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare i1 @llvm.coro.is_in_ramp()
declare i32 @__gxx_personality_v0(...)
declare void @may_throw()
declare void @note()
declare i1 @decide()
declare void @exit(i32) noreturn nounwind
declare ptr @malloc(i64)
declare void @free(ptr)
