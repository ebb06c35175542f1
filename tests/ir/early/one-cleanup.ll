; coro-early suspends after an unwind end, so that the destruction after an exception is an edge. In @same it leads to the
; cleanup after the final suspend, %over, since that equals the ramp's, %lost. @other calls another function and
; @as.written is optnone, so both get a copy of the ramp's cleanup.
; RUN: pycoro opt %s -passes=coro-early,verify -S | FileCheck %s
; RUN: pycoro opt %s -passes=coro-early,coro-early -S | FileCheck %s

; CHECK-LABEL: define ptr @same(
; CHECK: br i1 %ramp, label %lost, label %[[UNWOUND:.*]]
; CHECK: over:
; CHECK-NEXT: %to = phi i32 [ 2, %begun ], [ 2, %awaiter ], [ 2, %[[UNWOUND]] ]
; CHECK: switch i32 %to, label %never [
; CHECK-NEXT: i32 2, label %suspend
; CHECK-NEXT: ]
; CHECK: [[UNWOUND]]:
; CHECK-NEXT: [[RESULT:%.*]] = call i8 @llvm.coro.suspend(token none, i1 false)
; CHECK-NEXT: switch i8 [[RESULT]], label %hand.on [
; CHECK-NEXT: i8 0, label %never.resumed
; CHECK-NEXT: i8 1, label %over
; CHECK-NEXT: ]
; CHECK: resume { ptr, i32 }
; CHECK-NOT: resume { ptr, i32 }

; CHECK-LABEL: define ptr @other(
; CHECK: br i1 %ramp, label %lost, label %unwound
; CHECK: over:
; CHECK-NEXT: %to = phi i32 [ 2, %begun ], [ 2, %awaiter ]
; CHECK: lost.promise.unwound:
; CHECK-NEXT: call void @other_end(
; CHECK: destroyed:
; CHECK-NEXT: br label %suspend
; CHECK: i8 1, label %lost.unwound

; CHECK-LABEL: define ptr @as.written(
; CHECK: br i1 %ramp, label %lost, label %unwound
; CHECK: i8 1, label %lost.unwound

define ptr @same() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %promise = alloca i32
  %object.of = alloca ptr
  %selector.of = alloca i32
  %awaited = alloca i8
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store i32 42, ptr %promise
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %begun
  ]

resume:
  invoke void @may_throw()
          to label %last unwind label %thrown

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  %object = extractvalue { ptr, i32 } %exception, 0
  store ptr %object, ptr %object.of
  %selector = extractvalue { ptr, i32 } %exception, 1
  store i32 %selector, ptr %selector.of
  br label %ended

ended:
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %lost, label %hand.on

last:
  call void @llvm.lifetime.start.p0(ptr %awaited)
  %final = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %final, label %suspend [
    i8 0, label %never
    i8 1, label %awaiter
  ]

begun:
  br label %over

awaiter:
  call void @llvm.lifetime.end.p0(ptr %awaited)
  br label %over

over:
  %to = phi i32 [ 2, %begun ], [ 2, %awaiter ]
  call void @end(ptr %promise)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  %none = icmp ne ptr %block, null
  br i1 %none, label %give.back, label %given

give.back:
  call void @free(ptr %block)
  br label %given

given:
  switch i32 %to, label %never [
    i32 2, label %suspend
  ]

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

lost:
  br label %lost.promise

lost.promise:
  call void @end(ptr %promise)
  br label %lost.memory

lost.memory:
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  %some = icmp ne ptr %left, null
  br i1 %some, label %give.back.lost, label %given.lost

give.back.lost:
  call void @free(ptr %left)
  br label %given.lost

given.lost:
  br label %hand.on

hand.on:
  %its.object = load ptr, ptr %object.of
  %its.selector = load i32, ptr %selector.of
  %half = insertvalue { ptr, i32 } poison, ptr %its.object, 0
  %whole = insertvalue { ptr, i32 } %half, i32 %its.selector, 1
  resume { ptr, i32 } %whole

never:
  unreachable
}

define ptr @other() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %promise = alloca i32
  %object.of = alloca ptr
  %selector.of = alloca i32
  %awaited = alloca i8
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store i32 42, ptr %promise
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %begun
  ]

resume:
  invoke void @may_throw()
          to label %last unwind label %thrown

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  %object = extractvalue { ptr, i32 } %exception, 0
  store ptr %object, ptr %object.of
  %selector = extractvalue { ptr, i32 } %exception, 1
  store i32 %selector, ptr %selector.of
  br label %ended

ended:
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %lost, label %hand.on

last:
  call void @llvm.lifetime.start.p0(ptr %awaited)
  %final = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %final, label %suspend [
    i8 0, label %never
    i8 1, label %awaiter
  ]

begun:
  br label %over

awaiter:
  call void @llvm.lifetime.end.p0(ptr %awaited)
  br label %over

over:
  %to = phi i32 [ 2, %begun ], [ 2, %awaiter ]
  call void @end(ptr %promise)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  %none = icmp ne ptr %block, null
  br i1 %none, label %give.back, label %given

give.back:
  call void @free(ptr %block)
  br label %given

given:
  switch i32 %to, label %never [
    i32 2, label %suspend
  ]

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

lost:
  br label %lost.promise

lost.promise:
  call void @other_end(ptr %promise)
  br label %lost.memory

lost.memory:
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  %some = icmp ne ptr %left, null
  br i1 %some, label %give.back.lost, label %given.lost

give.back.lost:
  call void @free(ptr %left)
  br label %given.lost

given.lost:
  br label %hand.on

hand.on:
  %its.object = load ptr, ptr %object.of
  %its.selector = load i32, ptr %selector.of
  %half = insertvalue { ptr, i32 } poison, ptr %its.object, 0
  %whole = insertvalue { ptr, i32 } %half, i32 %its.selector, 1
  resume { ptr, i32 } %whole

never:
  unreachable
}

define ptr @as.written() presplitcoroutine noinline optnone personality ptr @__gxx_personality_v0 {
entry:
  %promise = alloca i32
  %object.of = alloca ptr
  %selector.of = alloca i32
  %awaited = alloca i8
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store i32 42, ptr %promise
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %begun
  ]

resume:
  invoke void @may_throw()
          to label %last unwind label %thrown

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  %object = extractvalue { ptr, i32 } %exception, 0
  store ptr %object, ptr %object.of
  %selector = extractvalue { ptr, i32 } %exception, 1
  store i32 %selector, ptr %selector.of
  br label %ended

ended:
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %lost, label %hand.on

last:
  call void @llvm.lifetime.start.p0(ptr %awaited)
  %final = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %final, label %suspend [
    i8 0, label %never
    i8 1, label %awaiter
  ]

begun:
  br label %over

awaiter:
  call void @llvm.lifetime.end.p0(ptr %awaited)
  br label %over

over:
  %to = phi i32 [ 2, %begun ], [ 2, %awaiter ]
  call void @end(ptr %promise)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  %none = icmp ne ptr %block, null
  br i1 %none, label %give.back, label %given

give.back:
  call void @free(ptr %block)
  br label %given

given:
  switch i32 %to, label %never [
    i32 2, label %suspend
  ]

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

lost:
  br label %lost.promise

lost.promise:
  call void @end(ptr %promise)
  br label %lost.memory

lost.memory:
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  %some = icmp ne ptr %left, null
  br i1 %some, label %give.back.lost, label %given.lost

give.back.lost:
  call void @free(ptr %left)
  br label %given.lost

given.lost:
  br label %hand.on

hand.on:
  %its.object = load ptr, ptr %object.of
  %its.selector = load i32, ptr %selector.of
  %half = insertvalue { ptr, i32 } poison, ptr %its.object, 0
  %whole = insertvalue { ptr, i32 } %half, i32 %its.selector, 1
  resume { ptr, i32 } %whole

never:
  unreachable
}

declare void @end(ptr)
declare void @other_end(ptr)
declare void @may_throw()
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i32 @llvm.coro.size.i32()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare i1 @llvm.coro.is_in_ramp()
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare i32 @__gxx_personality_v0(...)
declare ptr @malloc(i32)
declare void @free(ptr)
