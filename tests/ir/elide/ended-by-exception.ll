; A coroutine that is created, resumed and destroyed in one function, and ended by an exception in between: its frame is
; that function's alloca, and f.cleanup destroys the promise without freeing memory.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,coro-split,cgscc(inline),coro-elide,coro-cleanup' %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; RUN: pycoro opt -S -passes='coro-early,coro-split,cgscc(inline),coro-elide,coro-cleanup,default<O2>' %s -o %t.O2.ll
; RUN: lli-22 %t.O2.ll | FileCheck %s --check-prefix=OUT

; CHECK-LABEL: define i32 @main(
; CHECK-NOT: call ptr @malloc
; CHECK: call fastcc void @f.cleanup(
; CHECK-LABEL: define internal fastcc void @f.cleanup(
; CHECK: destroy.done:
; CHECK-NEXT: br label %ramp.only.unwound
; OUT: {{^}}1 42 6 42{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"
@_ZTIi = external constant ptr

define internal ptr @f(i32 %given) presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin

allocate:
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  br label %begin

begin:
  %place = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %frame = call ptr @llvm.coro.begin(token %id, ptr %place)
  store i32 %given, ptr %promise
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
  br i1 %ramp, label %ramp.only, label %hand.on

ramp.only:
  call void @end(ptr %promise)
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  %none = icmp eq ptr %left, null
  br i1 %none, label %hand.on, label %give.back

give.back:
  call void @give_back(ptr %left)
  br label %hand.on

hand.on:
  resume { ptr, i32 } %exception

cleanup:
  call void @show(i32 6)
  call void @end(ptr %promise)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  %nothing = icmp eq ptr %block, null
  br i1 %nothing, label %suspend, label %free

free:
  call void @give_back(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define void @end(ptr %promise) noinline {
  %value = load i32, ptr %promise
  call void @show(i32 %value)
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

define void @show(i32 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define i32 @main() personality ptr @__gxx_personality_v0 {
  %a = call ptr @f(i32 42)
  invoke void @llvm.coro.resume(ptr %a)
          to label %fine unwind label %thrown

fine:
  call void @llvm.coro.destroy(ptr %a)
  ret i32 1

thrown:
  %exception = landingpad { ptr, i32 }
          catch ptr null
  %object = extractvalue { ptr, i32 } %exception, 0
  %caught = call ptr @__cxa_begin_catch(ptr %object)
  call void @__cxa_end_catch()
  %ended = call i1 @llvm.coro.done(ptr %a)
  %number = zext i1 %ended to i32
  call void @show(i32 %number)
  call void @llvm.coro.destroy(ptr %a)
  %b = call ptr @f(i32 42)
  call void @llvm.coro.destroy(ptr %b)
  ret i32 0
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
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
