; On Windows the ramp destroys its own parameters after the frame is freed, and other code of the ramp enters the same
; pads. A copy of the cleanup ends before that: the parameters no longer exist when the coroutine is destroyed.
; RUN: pycoro opt %s -passes=coro-early,verify -S | FileCheck %s
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split)' -check-lowering -disable-output

; CHECK-LABEL: define ptr @f(
; CHECK: free.frame.unwound:
; CHECK: br i1 {{.*}}, label %delete.unwound, label %deleted.unwound
; CHECK: delete.unwound:
; CHECK-NEXT: call void @free(
; CHECK: deleted.unwound:
; CHECK-NEXT: br label %parameters.unwound
; CHECK: parameters.unwound:
; CHECK-NEXT: br label %destroyed
; CHECK: unwound:
; CHECK: i8 1, label %free.frame.unwound
; CHECK-LABEL: define ptr @in.memory(
; CHECK: cleanup.unwound:
; CHECK: call void @free(
; CHECK-NEXT: br label %destroyed
; CHECK-LABEL: define ptr @released.or.not(
; CHECK: cleanup.unwound:
; CHECK: br i1 {{.*}}, label %deleted.unwound, label %delete.unwound
; CHECK: {{^}}deleted.unwound:
; CHECK-NEXT: call void @note()
; CHECK-NEXT: br label %destroyed
; CHECK: {{^}}delete.unwound:
; CHECK-NEXT: call void @free(
; CHECK-NEXT: br label %deleted.unwound
; CHECK: {{^}}unwound:
; CHECK: i8 1, label %cleanup.unwound
; CHECK-LABEL: define ptr @caught.in.two.states(
; CHECK: {{^}}again.unwound:
; CHECK-NEXT: br label %destroyed
; CHECK-LABEL: define ptr @freed.or.not(
; CHECK-NOT: .unwound:
; CHECK: ret ptr

define ptr @f(ptr %parameter) presplitcoroutine personality ptr @__CxxFrameHandler3 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  invoke void @get_return_object()
          to label %start unwind label %free.frame

start:
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  invoke void @work()
          to label %cleanup unwind label %thrown

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  call void @destroy(ptr %parameter)
  ret ptr %frame

thrown:
  %pad = cleanuppad within none []
  call void @llvm.coro.end(ptr null, i1 true, token none) [ "funclet"(token %pad) ]
  cleanupret from %pad unwind label %free.frame

free.frame:
  %free.pad = cleanuppad within none []
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  %heap = icmp ne ptr %left, null
  br i1 %heap, label %delete, label %deleted

delete:
  call void @free(ptr %left) [ "funclet"(token %free.pad) ]
  br label %deleted

deleted:
  cleanupret from %free.pad unwind label %parameters

parameters:
  %last = cleanuppad within none []
  call void @destroy(ptr %parameter) [ "funclet"(token %last) ]
  cleanupret from %last unwind to caller
}

; The same for a class with trivial_abi, whose parameter is in an alloca.
define ptr @in.memory(i64 %parameter) presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %address = alloca { i64 }
  %first = getelementptr { i64 }, ptr %address, i32 0, i32 0
  store i64 %parameter, ptr %first
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %over
  ]

resume:
  invoke void @work()
          to label %over unwind label %thrown

over:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  call void @destroy(ptr %address)
  ret ptr %frame

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %cleanup, label %eh.resume

cleanup:
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %left)
  call void @destroy(ptr %address)
  br label %eh.resume

eh.resume:
  resume { ptr, i32 } %exception
}

; Whether the memory is released is not known where the paths meet, because the comparison is one of integers. The parameter
; does not exist there in any case.
define ptr @released.or.not(ptr %parameter) presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %over
  ]

resume:
  invoke void @work()
          to label %over unwind label %thrown

over:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  call void @destroy(ptr %parameter)
  ret ptr %frame

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %cleanup, label %eh.resume

cleanup:
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  %address = ptrtoint ptr %left to i64
  %none = icmp eq i64 %address, 0
  br i1 %none, label %deleted, label %delete

delete:
  call void @free(ptr %left)
  br label %deleted

deleted:
  call void @note()
  call void @destroy(ptr %parameter)
  br label %eh.resume

eh.resume:
  resume { ptr, i32 } %exception
}

; A handler is entered before the memory is released and after it.
define ptr @caught.in.two.states(ptr %parameter) presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %over
  ]

resume:
  invoke void @work()
          to label %over unwind label %thrown

over:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  call void @destroy(ptr %parameter)
  ret ptr %frame

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %cleanup, label %eh.resume

cleanup:
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  invoke void @work()
          to label %release unwind label %handler

release:
  call void @free(ptr %left)
  invoke void @work()
          to label %eh.resume unwind label %handler

handler:
  %caught = landingpad { ptr, i32 }
          catch ptr null
  br label %again

again:
  call void @destroy(ptr %parameter)
  br label %eh.resume

eh.resume:
  resume { ptr, i32 } %exception
}

; Where paths with the frame and without it meet, it is not known whether the cleanup ends. It is not copied.
define ptr @freed.or.not(ptr %parameter) presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %over
  ]

resume:
  invoke void @work()
          to label %over unwind label %thrown

over:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  call void @destroy(ptr %parameter)
  ret ptr %frame

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %cleanup, label %eh.resume

cleanup:
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  %none = icmp eq ptr %left, null
  br i1 %none, label %deleted, label %delete

delete:
  call void @free(ptr %left)
  br label %deleted

deleted:
  %again = call i1 @decide()
  br i1 %again, label %cleanup, label %last

last:
  call void @destroy(ptr %parameter)
  br label %eh.resume

eh.resume:
  resume { ptr, i32 } %exception
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i32 @llvm.coro.size.i32()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare i1 @llvm.coro.is_in_ramp()
declare i32 @__CxxFrameHandler3(...)
declare i32 @__gxx_personality_v0(...)
declare void @get_return_object()
declare void @work()
declare void @note()
declare i1 @decide()
declare void @destroy(ptr)
declare ptr @malloc(i32)
declare void @free(ptr)
