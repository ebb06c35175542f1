; Two exceptional exits of a coroutine, each with an llvm.coro.end: destroy knows the exit, because the ramp's code
; after them depends on it. @other has no such dependency: destroy only frees the frame.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup,default<O2>' -S -o %t.O2.ll
; RUN: lli-22 %t.O2.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: @llvm.coro
; CHECK: define internal fastcc void @f.destroy(
; CHECK: switch i8 %index, label %unreachable [
; CHECK-NEXT: i8 0, label %resume.0
; CHECK-NEXT: i8 1, label %destroy.done
; CHECK-NEXT: i8 2, label %destroy.done
; CHECK-NEXT: ], !prof [[EITHER:![0-9]+]]
; CHECK: define internal fastcc void @other.destroy(
; CHECK: destroy.done:
; CHECK-NEXT: br label %[[FREE:.*]]
; CHECK: [[EITHER]] = !{!"branch_weights", i32 0, i32 1048575, i32 1, i32 1}

; OUT: {{^}}1 -1 10 5 8 1 -1 20 6 8 20 5 8 1 -1 8 8 3{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"
@_ZTIi = external constant ptr

define ptr @f(i1 %first, i32 %five) presplitcoroutine personality ptr @__gxx_personality_v0 {
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
  %six = call i32 @next(i32 %five)
  br i1 %first, label %one, label %two

one:
  invoke void @throw()
          to label %never unwind label %one.thrown

two:
  invoke void @throw()
          to label %never unwind label %two.thrown

never:
  unreachable

one.thrown:
  %one.exception = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %one.ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %one.ramp, label %ramp.only, label %hand.on

two.thrown:
  %two.exception = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %two.ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %two.ramp, label %ramp.only, label %hand.on

ramp.only:
  %exception = phi { ptr, i32 } [ %one.exception, %one.thrown ], [ %two.exception, %two.thrown ]
  %which = phi i32 [ 10, %one.thrown ], [ 20, %two.thrown ]
  %carried = phi i32 [ %five, %one.thrown ], [ %six, %two.thrown ]
  call void @show(i32 %which)
  call void @show(i32 %carried)
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @give_back(ptr %left)
  br label %hand.on

hand.on:
  %whole = phi { ptr, i32 } [ %one.exception, %one.thrown ], [ %two.exception, %two.thrown ], [ %exception, %ramp.only ]
  resume { ptr, i32 } %whole

cleanup:
  call void @show(i32 20)
  call void @show(i32 %five)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @give_back(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @other() presplitcoroutine personality ptr @__gxx_personality_v0 {
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
  resume { ptr, i32 } %exception

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @give_back(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define i32 @next(i32 %v) noinline optnone {
  %sum = add i32 %v, 1
  ret i32 %sum
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
  %a = call ptr @f(i1 true, i32 5)
  call void @run(ptr %a)
  call void @llvm.coro.destroy(ptr %a)
  %b = call ptr @f(i1 false, i32 5)
  call void @run(ptr %b)
  call void @llvm.coro.destroy(ptr %b)
  %c = call ptr @f(i1 false, i32 5)
  call void @llvm.coro.destroy(ptr %c)
  %d = call ptr @other()
  call void @run(ptr %d)
  call void @llvm.coro.destroy(ptr %d)
  %e = call ptr @other()
  call void @llvm.coro.destroy(ptr %e)
  call void @show(i32 3)
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
