; The index of the cleanup's successor comes from two phis, as after a merge of some predecessors. Destroy sets the
; index of the unwind end, and returns where the exception would propagate; other predecessors that leave the coroutine
; after the cleanup do not prevent this. There is no final suspend.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; RUN: pycoro opt %s -passes='default<O2>' -S -o %t.O2.ll
; RUN: lli-22 %t.O2.ll | FileCheck %s --check-prefix=OUT

; CHECK: define internal fastcc void @f.destroy(
; CHECK: destroy.done:
; CHECK-NEXT: br label %both.unwound
; CHECK: define internal fastcc void @f.cleanup(

; OUT: {{^}}2 8 -1 3 5 8 1 4 5 8{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"
@_ZTIi = external constant ptr

define ptr @f(i1 %first) presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %on.over
  ]

resume:
  br i1 %first, label %fail, label %on

fail:
  invoke void @throw()
          to label %never unwind label %thrown

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %both, label %hand.on

on:
  call void @show(i32 1)
  br label %more

more:
  %last = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %last, label %suspend [
    i8 0, label %never
    i8 1, label %begun
  ]

begun:
  br label %both

both:
  %some = phi i32 [ 2, %begun ], [ 3, %thrown ]
  %what = phi i32 [ 4, %begun ], [ 3, %thrown ]
  %lost.some = phi { ptr, i32 } [ poison, %begun ], [ %exception, %thrown ]
  call void @show(i32 %what)
  call void @show(i32 5)
  br label %over

on.over:
  call void @show(i32 2)
  br label %over

over:
  %to = phi i32 [ %some, %both ], [ 2, %on.over ]
  %lost = phi { ptr, i32 } [ %lost.some, %both ], [ poison, %on.over ]
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @give_back(ptr %block)
  switch i32 %to, label %suspend [
    i32 3, label %lost.first
  ]

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

lost.first:
  resume { ptr, i32 } %lost

hand.on:
  resume { ptr, i32 } %exception

never:
  unreachable
}

define void @give_back(ptr %memory) noinline {
  call void @show(i32 8)
  call void @free(ptr %memory)
  ret void
}

define void @throw() noinline {
  %object = call ptr @__cxa_allocate_exception(i64 4)
  call void @__cxa_throw(ptr %object, ptr @_ZTIi, ptr null)
  unreachable
}

; Shows -1 if it threw, and is done.
define void @run(ptr %handle) noinline personality ptr @__gxx_personality_v0 {
  invoke void @llvm.coro.resume(ptr %handle)
          to label %fine unwind label %thrown

fine:
  ret void

thrown:
  %exception = landingpad { ptr, i32 }
          catch ptr null
  %object = extractvalue { ptr, i32 } %exception, 0
  %caught = call ptr @__cxa_begin_catch(ptr %object)
  call void @__cxa_end_catch()
  %ended = call i1 @llvm.coro.done(ptr %handle)
  %number = sext i1 %ended to i32
  call void @show(i32 %number)
  ret void
}

define void @show(i32 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define i32 @main() {
  %h1 = call ptr @f(i1 false)
  call void @llvm.coro.destroy(ptr %h1)
  %h2 = call ptr @f(i1 true)
  call void @run(ptr %h2)
  call void @llvm.coro.destroy(ptr %h2)
  %h3 = call ptr @f(i1 false)
  call void @run(ptr %h3)
  call void @llvm.coro.destroy(ptr %h3)
  ret i32 0
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i32 @llvm.coro.size.i32()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare i1 @llvm.coro.is_in_ramp()
declare i1 @llvm.coro.done(ptr)
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
