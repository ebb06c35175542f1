; A promise's destructor is inlined where it is likely to run. After an exception it is unlikely in the destroy clone as
; in the ramp: there it is called.
; RUN: pycoro opt %s -passes='default<O2>' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-LABEL: define internal fastcc void @f.destroy(
; CHECK: destroy.done:
; CHECK-NEXT: {{.*}}call void @end(
; OUT: {{^}}1 2 3 4 5 6 7 8 1 2 3 4 5 6 7 8{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"
@_ZTIi = external constant ptr

define ptr @f() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @make(ptr %promise)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %fail
    i8 1, label %cleanup
  ]

fail:
  invoke void @throw()
          to label %last unwind label %thrown

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %ramp.only, label %hand.on

ramp.only:
  call void @end(ptr %promise)
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %left)
  br label %hand.on

hand.on:
  resume { ptr, i32 } %exception

last:
  %final = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %final, label %suspend [
    i8 0, label %wrong
    i8 1, label %cleanup
  ]

wrong:
  unreachable

cleanup:
  call void @end(ptr %promise)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define void @end(ptr %promise) {
  %first = load i32, ptr %promise
  %v0 = add i32 %first, 0
  call void @show(i32 %v0)
  %v1 = add i32 %first, 1
  call void @show(i32 %v1)
  %v2 = add i32 %first, 2
  call void @show(i32 %v2)
  %v3 = add i32 %first, 3
  call void @show(i32 %v3)
  %v4 = add i32 %first, 4
  call void @show(i32 %v4)
  %v5 = add i32 %first, 5
  call void @show(i32 %v5)
  %v6 = add i32 %first, 6
  call void @show(i32 %v6)
  %v7 = add i32 %first, 7
  call void @show(i32 %v7)
  ret void
}

define void @make(ptr %promise) noinline {
  store i32 1, ptr %promise
  ret void
}

define void @throw() noinline {
  %object = call ptr @__cxa_allocate_exception(i64 4)
  call void @__cxa_throw(ptr %object, ptr @_ZTIi, ptr null)
  unreachable
}

define void @show(i32 %v) noinline {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define void @drop(ptr %handle) noinline {
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}

define i32 @main() personality ptr @__gxx_personality_v0 {
  %a = call ptr @f()
  call void @drop(ptr %a)
  %b = call ptr @f()
  invoke void @llvm.coro.resume(ptr %b)
          to label %over unwind label %thrown

thrown:
  %exception = landingpad { ptr, i32 }
          catch ptr null
  %object = extractvalue { ptr, i32 } %exception, 0
  %caught = call ptr @__cxa_begin_catch(ptr %object)
  call void @__cxa_end_catch()
  br label %over

over:
  call void @drop(ptr %b)
  ret i32 0
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i32 @llvm.coro.size.i32()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare i1 @llvm.coro.is_in_ramp()
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare ptr @__cxa_allocate_exception(i64)
declare void @__cxa_throw(ptr, ptr, ptr) noreturn
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
declare i32 @__gxx_personality_v0(...)
declare ptr @malloc(i32)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
