; The ramp's cleanup catches an exception of its own, as an inlined destructor does, and continues. Destroying a coroutine
; that an exception ended does the same, in a copy of the handler, and returns. The copy shares the terminating pad.
; RUN: pycoro opt %s -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup,default<O2>' -S -o %t.O2.ll
; RUN: lli-22 %t.O2.ll | FileCheck %s --check-prefix=OUT
; UNSUPPORTED: reference

; CHECK-LABEL: define internal fastcc void @f.destroy(
; CHECK: fatal:
; CHECK-NOT: fatal.unwound
; CHECK: caught.unwound:
; CHECK-NEXT: landingpad
; CHECK-NEXT: catch ptr null
; CHECK: br label %free.unwound
; CHECK-NOT: resume {
; CHECK: define internal fastcc void @f.cleanup(

; Ended by an exception and destroyed; destroyed where it waits.
; OUT: {{^}}-1 5 8 6 8{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"
@_ZTIi = external constant ptr

define ptr @f() presplitcoroutine personality ptr @__gxx_personality_v0 {
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
  br i1 %ramp, label %drop, label %propagate

drop:
  invoke void @throw()
          to label %more unwind label %caught

more:
  invoke void @throw()
          to label %free unwind label %fatal

caught:
  %inner = landingpad { ptr, i32 }
          catch ptr null
  %object = extractvalue { ptr, i32 } %inner, 0
  %begun = call ptr @__cxa_begin_catch(ptr %object)
  call void @show(i32 5)
  call void @__cxa_end_catch()
  br label %free

fatal:
  %last = landingpad { ptr, i32 }
          catch ptr null
  call void @abort()
  unreachable

free:
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @give_back(ptr %left)
  br label %propagate

propagate:
  resume { ptr, i32 } %exception

cleanup:
  call void @show(i32 6)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @give_back(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
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

; Shows -1 if it threw.
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
  call void @show(i32 -1)
  ret void
}

define void @show(i32 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define i32 @main() {
  %a = call ptr @f()
  call void @run(ptr %a)
  call void @llvm.coro.destroy(ptr %a)
  %b = call ptr @f()
  call void @llvm.coro.destroy(ptr %b)
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
declare void @abort() noreturn
declare ptr @malloc(i32)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
