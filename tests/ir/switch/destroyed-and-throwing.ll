; A destroy that shares the ramp's cleanup with other exceptions, and throws itself: an uncaught new exception
; propagates, unlike the exception that ended the coroutine, which no longer exists.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup,default<O2>' -S -o %t.O2.ll
; RUN: lli-22 %t.O2.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: @llvm.coro
; CHECK: define internal fastcc void @f.destroy(
; CHECK: inner:
; CHECK-NEXT: %second = landingpad
; CHECK-NEXT: cleanup
; CHECK-NEXT: resume { ptr, i32 } %second
; CHECK: both.unwound:
; CHECK-NEXT: invoke i32 @next(
; CHECK-NEXT: to label %free.unwound unwind label %inner

; Ended by an exception and destroyed; likewise, where that throws; destroyed where it waits; likewise, where that throws.
; OUT: {{^}}1 -1 100 8 1 -1 104 -2 200 8 104 100 8 -2{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"
@_ZTIi = external constant ptr

define ptr @f(i32 %first, i32 %last) presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  invoke void @throw()
          to label %never unwind label %thrown

never:
  unreachable

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %both, label %hand.on

cleanup:
  %destroyed = invoke i32 @next(i32 %first)
          to label %free.it unwind label %failed

failed:
  %other = landingpad { ptr, i32 }
          cleanup
  br label %both

both:
  %kept = phi { ptr, i32 } [ %exception, %thrown ], [ %other, %failed ]
  %told = invoke i32 @next(i32 %last)
          to label %free unwind label %inner

inner:
  %second = landingpad { ptr, i32 }
          cleanup
  resume { ptr, i32 } %second

free:
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @give_back(ptr %left)
  br label %hand.on

hand.on:
  %whole = phi { ptr, i32 } [ %exception, %thrown ], [ %kept, %free ]
  resume { ptr, i32 } %whole

free.it:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @give_back(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

; Shows its argument; 104 is thrown.
define i32 @next(i32 %v) noinline {
  call void @show(i32 %v)
  %bad = icmp eq i32 %v, 104
  br i1 %bad, label %fail, label %fine

fail:
  call void @throw()
  unreachable

fine:
  ret i32 %v
}

; Shows -2 if it threw.
define void @destroy(ptr %handle) noinline personality ptr @__gxx_personality_v0 {
  invoke void @llvm.coro.destroy(ptr %handle)
          to label %fine unwind label %thrown

fine:
  ret void

thrown:
  %exception = landingpad { ptr, i32 }
          catch ptr null
  %object = extractvalue { ptr, i32 } %exception, 0
  %caught = call ptr @__cxa_begin_catch(ptr %object)
  call void @__cxa_end_catch()
  call void @show(i32 -2)
  ret void
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

; Shows whether the coroutine is done, and -1 if it threw.
define void @run(ptr %handle) noinline personality ptr @__gxx_personality_v0 {
  invoke void @llvm.coro.resume(ptr %handle)
          to label %fine unwind label %thrown

fine:
  %over = call i1 @llvm.coro.done(ptr %handle)
  %one = zext i1 %over to i32
  call void @show(i32 %one)
  ret void

thrown:
  %exception = landingpad { ptr, i32 }
          catch ptr null
  %object = extractvalue { ptr, i32 } %exception, 0
  %caught = call ptr @__cxa_begin_catch(ptr %object)
  call void @__cxa_end_catch()
  %ended = call i1 @llvm.coro.done(ptr %handle)
  %number = zext i1 %ended to i32
  call void @show(i32 %number)
  call void @show(i32 -1)
  ret void
}

define void @show(i32 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define i32 @main() {
  %a = call ptr @f(i32 0, i32 100)
  call void @run(ptr %a)
  call void @destroy(ptr %a)
  %b = call ptr @f(i32 0, i32 104)
  call void @run(ptr %b)
  call void @destroy(ptr %b)
  %c = call ptr @f(i32 200, i32 0)
  call void @destroy(ptr %c)
  %d = call ptr @f(i32 104, i32 100)
  call void @destroy(ptr %d)
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
