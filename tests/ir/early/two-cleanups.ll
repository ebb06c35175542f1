; A destroy edge after an unwind end leads to the cleanup of the other suspends only if it is equivalent to the ramp's.
; That of @promised differs in nounwind, that of @tagged in metadata. These get a copy of the ramp's cleanup. Where the
; exception is loaded from, how wide the index is, and a path without a frame make no difference.
; RUN: pycoro opt %s -passes=coro-early,verify -S | FileCheck %s

; CHECK-LABEL: define ptr @alike(
; CHECK: i8 1, label %over
; CHECK: unwound:
; CHECK: i8 1, label %over
; CHECK-LABEL: define ptr @not.read(
; CHECK: unwound:
; CHECK: i8 1, label %over
; CHECK-LABEL: define ptr @given.away(
; CHECK: unwound:
; CHECK: i8 1, label %over
; CHECK-LABEL: define ptr @narrow(
; CHECK: unwound:
; CHECK: i8 1, label %over
; CHECK-LABEL: define ptr @promised(
; CHECK: unwound:
; CHECK: i8 1, label %lost.unwound
; CHECK-LABEL: define ptr @tagged(
; CHECK: unwound:
; CHECK: i8 1, label %lost.unwound
; CHECK-LABEL: define ptr @without.frame(
; CHECK: unwound:
; CHECK: i8 1, label %over

define ptr @alike() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %promise = alloca i32
  %object.of = alloca ptr
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
  invoke void @may_throw()
          to label %last unwind label %ended

ended:
  %exception = landingpad { ptr, i32 }
          cleanup
  %object = extractvalue { ptr, i32 } %exception, 0
  store ptr %object, ptr %object.of
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %lost, label %hand.on

last:
  %final = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %final, label %suspend [
    i8 0, label %never
    i8 1, label %over
  ]

over:
  %to = phi i32 [ 2, %entry ], [ 2, %last ]
  call void @end(ptr %promise)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  switch i32 %to, label %never [
    i32 2, label %suspend
  ]

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

lost:
  call void @end(ptr %promise)
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %left)
  br label %hand.on

hand.on:
  %its.object = load ptr, ptr %object.of
  %whole = insertvalue { ptr, i32 } zeroinitializer, ptr %its.object, 0
  resume { ptr, i32 } %whole

never:
  unreachable
}

define ptr @not.read() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %promise = alloca i32
  %object.of = alloca ptr
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
  invoke void @may_throw()
          to label %last unwind label %ended

ended:
  %exception = landingpad { ptr, i32 }
          cleanup
  %object = extractvalue { ptr, i32 } %exception, 0
  store ptr %object, ptr %object.of
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %lost, label %hand.on

last:
  %final = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %final, label %suspend [
    i8 0, label %never
    i8 1, label %over
  ]

over:
  %to = phi i32 [ 2, %entry ], [ 2, %last ]
  call void @end(ptr %promise)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  switch i32 %to, label %never [
    i32 2, label %suspend
  ]

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

lost:
  call void @end(ptr %promise)
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %left)
  br label %hand.on

hand.on:
  resume { ptr, i32 } %exception

never:
  unreachable
}

define ptr @given.away() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %promise = alloca i32
  %object.of = alloca ptr
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
  invoke void @may_throw()
          to label %last unwind label %ended

ended:
  %exception = landingpad { ptr, i32 }
          cleanup
  %object = extractvalue { ptr, i32 } %exception, 0
  store ptr %object, ptr %object.of
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %lost, label %hand.on

last:
  %final = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %final, label %suspend [
    i8 0, label %never
    i8 1, label %over
  ]

over:
  %to = phi i32 [ 2, %entry ], [ 2, %last ]
  call void @end(ptr %object.of)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  switch i32 %to, label %never [
    i32 2, label %suspend
  ]

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

lost:
  call void @end(ptr %object.of)
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %left)
  br label %hand.on

hand.on:
  %its.object = load ptr, ptr %object.of
  %whole = insertvalue { ptr, i32 } zeroinitializer, ptr %its.object, 0
  resume { ptr, i32 } %whole

never:
  unreachable
}

define ptr @narrow() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %promise = alloca i32
  %object.of = alloca ptr
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
  invoke void @may_throw()
          to label %last unwind label %ended

ended:
  %exception = landingpad { ptr, i32 }
          cleanup
  %object = extractvalue { ptr, i32 } %exception, 0
  store ptr %object, ptr %object.of
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %lost, label %hand.on

last:
  %final = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %final, label %suspend [
    i8 0, label %never
    i8 1, label %over
  ]

over:
  %to = phi i2 [ 0, %entry ], [ -1, %last ]
  call void @end(ptr %promise)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  switch i2 %to, label %suspend [
    i2 -1, label %suspend
  ]

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

lost:
  call void @end(ptr %promise)
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %left)
  br label %hand.on

hand.on:
  %its.object = load ptr, ptr %object.of
  %whole = insertvalue { ptr, i32 } zeroinitializer, ptr %its.object, 0
  resume { ptr, i32 } %whole

never:
  unreachable
}

define ptr @promised() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %promise = alloca i32
  %object.of = alloca ptr
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
  invoke void @may_throw()
          to label %last unwind label %ended

ended:
  %exception = landingpad { ptr, i32 }
          cleanup
  %object = extractvalue { ptr, i32 } %exception, 0
  store ptr %object, ptr %object.of
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %lost, label %hand.on

last:
  %final = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %final, label %suspend [
    i8 0, label %never
    i8 1, label %over
  ]

over:
  %to = phi i32 [ 2, %entry ], [ 2, %last ]
  call void @end(ptr %promise) nounwind
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  switch i32 %to, label %never [
    i32 2, label %suspend
  ]

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

lost:
  call void @end(ptr %promise)
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %left)
  br label %hand.on

hand.on:
  %its.object = load ptr, ptr %object.of
  %whole = insertvalue { ptr, i32 } zeroinitializer, ptr %its.object, 0
  resume { ptr, i32 } %whole

never:
  unreachable
}

define ptr @tagged() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %promise = alloca i32
  %object.of = alloca ptr
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
  invoke void @may_throw()
          to label %last unwind label %ended

ended:
  %exception = landingpad { ptr, i32 }
          cleanup
  %object = extractvalue { ptr, i32 } %exception, 0
  store ptr %object, ptr %object.of
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %lost, label %hand.on

last:
  %final = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %final, label %suspend [
    i8 0, label %never
    i8 1, label %over
  ]

over:
  %to = phi i32 [ 2, %entry ], [ 2, %last ]
  call void @end(ptr %promise), !annotation !{!"tagged"}
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  switch i32 %to, label %never [
    i32 2, label %suspend
  ]

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

lost:
  call void @end(ptr %promise)
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %left)
  br label %hand.on

hand.on:
  %its.object = load ptr, ptr %object.of
  %whole = insertvalue { ptr, i32 } zeroinitializer, ptr %its.object, 0
  resume { ptr, i32 } %whole

never:
  unreachable
}

define ptr @without.frame() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %promise = alloca i32
  %object.of = alloca ptr
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = invoke ptr @allocate(i32 %size)
          to label %begin unwind label %ended

begin:
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %over
  ]

resume:
  invoke void @may_throw()
          to label %last unwind label %ended

ended:
  %exception = landingpad { ptr, i32 }
          cleanup
  %object = extractvalue { ptr, i32 } %exception, 0
  store ptr %object, ptr %object.of
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %lost, label %hand.on

last:
  %final = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %final, label %suspend [
    i8 0, label %never
    i8 1, label %over
  ]

over:
  %to = phi i32 [ 2, %begin ], [ 2, %last ]
  call void @end(ptr %promise)
  switch i32 %to, label %never [
    i32 2, label %suspend
  ]

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

lost:
  call void @end(ptr %promise)
  br label %hand.on

hand.on:
  %its.object = load ptr, ptr %object.of
  %whole = insertvalue { ptr, i32 } zeroinitializer, ptr %its.object, 0
  resume { ptr, i32 } %whole

never:
  unreachable
}

declare void @end(ptr)
declare void @may_throw()
declare ptr @allocate(i32)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i32 @llvm.coro.size.i32()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare i1 @llvm.coro.is_in_ramp()
declare i32 @__gxx_personality_v0(...)
declare ptr @malloc(i32)
declare void @free(ptr)
