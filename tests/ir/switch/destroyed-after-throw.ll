; An exception leaves a resumed coroutine: it is done, and destroy runs a copy of the ramp's code after the unwinding
; coro.end, which emits the promise and frees the memory. @bare has no final suspend, as optimizers remove an unreachable one;
; @awaited has one, and its objects (7) exist only if it was reached. The exception is not in the frame. The path is as
; unlikely as the exception.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup,default<O2>' -S -o %t.O2.ll
; RUN: lli-22 %t.O2.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: @llvm.coro
; CHECK: define internal fastcc void @bare.resume(ptr {{.*}}dereferenceable(24) %
; CHECK: landingpad
; CHECK: store ptr null, ptr %frame
; CHECK: resume { ptr, i32 }
; CHECK: define internal fastcc void @bare.destroy(
; CHECK: br i1 %done, label %destroy.done, label %{{.*}}, !prof [[DONE:![0-9]+]]
; CHECK-NOT: resume {
; CHECK: define internal fastcc void @bare.cleanup(
; CHECK: destroy.done:
; CHECK-NEXT: br label %ramp.only.unwound
; CHECK: define internal fastcc void @awaited.resume(ptr {{.*}}dereferenceable(24) %
; CHECK: define internal fastcc void @awaited.destroy(
; CHECK: switch i8 %index, label %unreachable [
; CHECK-NEXT: i8 0, label %resume.0
; CHECK-NEXT: i8 1, label %resume.1
; CHECK-NEXT: i8 2, label %destroy.done
; CHECK-NEXT: ], !prof [[ONE_OF_THREE:![0-9]+]]
; CHECK-DAG: [[DONE]] = !{!"branch_weights", i32 1, i32 1048575}
; CHECK-DAG: [[ONE_OF_THREE]] = !{!"branch_weights", i32 0, i32 1048575, i32 1048575, i32 1}

; started, thrown out of and destroyed; destroyed where it waits
; OUT: {{^}}1 -1 42 8 1 42 8
; the same; at its final suspend
; OUT-SAME: 1 -1 42 8 1 42 8 1 7 42 8{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"
@_ZTIi = external constant ptr

define ptr @bare() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store i32 42, ptr %promise
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
  %object = extractvalue { ptr, i32 } %exception, 0
  %selector = extractvalue { ptr, i32 } %exception, 1
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %ramp.only, label %hand.on

ramp.only:
  %kept = phi ptr [ %object, %thrown ]
  call void @end(ptr %promise)
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  %none = icmp eq ptr %left, null
  br i1 %none, label %hand.on, label %give.back

give.back:
  call void @give_back(ptr %left)
  br label %hand.on

hand.on:
  %which = phi ptr [ %object, %thrown ], [ %kept, %ramp.only ], [ %kept, %give.back ]
  %half = insertvalue { ptr, i32 } poison, ptr %which, 0
  %whole = insertvalue { ptr, i32 } %half, i32 %selector, 1
  resume { ptr, i32 } %whole

cleanup:
  call void @end(ptr %promise)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @give_back(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @awaited(i1 %fatal) presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store i32 42, ptr %promise
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  br i1 %fatal, label %fail, label %last

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
  call void @give_back(ptr %left)
  br label %hand.on

hand.on:
  resume { ptr, i32 } %exception

last:
  %final = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %final, label %suspend [
    i8 0, label %wrong
    i8 1, label %awaiter
  ]

wrong:
  unreachable

awaiter:
  call void @show(i32 7)
  br label %cleanup

cleanup:
  call void @end(ptr %promise)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
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
  %a = call ptr @bare()
  call void @run(ptr %a)
  call void @llvm.coro.destroy(ptr %a)
  call void @show(i32 1)
  %b = call ptr @bare()
  call void @llvm.coro.destroy(ptr %b)
  %c = call ptr @awaited(i1 true)
  call void @run(ptr %c)
  call void @llvm.coro.destroy(ptr %c)
  call void @show(i32 1)
  %d = call ptr @awaited(i1 true)
  call void @llvm.coro.destroy(ptr %d)
  %e = call ptr @awaited(i1 false)
  call void @run(ptr %e)
  call void @llvm.coro.destroy(ptr %e)
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
