; All kinds of paths after a coro.end in the ramp, taken when a coroutine ended by an exception is destroyed: a loop, a
; switch, an invoke of the resume block, branches with both successors there, and a new exception, which propagates.
; Values are the ramp's: %count and %base come from before the first suspend. @caught does not rethrow in the ramp but
; returns, so it is no destruction: destroy only frees the memory.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup,default<O2>' -S -o %t.O2.ll
; RUN: lli-22 %t.O2.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: @llvm.coro
; CHECK: define internal fastcc void @f.destroy(
; CHECK: switch i32 %which{{[0-9]*}}, label %destroyed [
; CHECK: br i1 %{{.*}}, label %destroyed, label %destroyed
; CHECK: invoke i32 @next(
; CHECK-NEXT: to label %destroyed unwind label %inner
; CHECK: destroyed:
; CHECK-NEXT: br label %suspend
; CHECK: suspend:
; CHECK-NEXT: ret void

; OUT: {{^}}1 -1 100 101 102 8 1 -1 100 101 102 8 1 -1 100 101 102 8 103 1 -1 100 101 102 8 104 -2 1 -1 8{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"
@_ZTIi = external constant ptr

define ptr @f(i32 %count, i32 %base, i32 %kind) presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %slot = alloca ptr
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
  %object = extractvalue { ptr, i32 } %exception, 0
  store ptr %object, ptr %slot
  %selector = extractvalue { ptr, i32 } %exception, 1
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %loop, label %hand.on

loop:
  %i = phi i32 [ 0, %thrown ], [ %more, %loop ]
  %kept = phi i32 [ %selector, %thrown ], [ %kept, %loop ]
  %shown = add i32 %base, %i
  call void @show(i32 %shown)
  %more = add i32 %i, 1
  %again = icmp ult i32 %more, %count
  br i1 %again, label %loop, label %free

free:
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  %next = add i32 %base, %kind
  %which = add i32 %kind, 0
  call void @give_back(ptr %left)
  switch i32 %which, label %hand.on [
    i32 1, label %both
    i32 3, label %last
    i32 4, label %last
  ]

both:
  %odd = trunc i32 %count to i1
  br i1 %odd, label %hand.on, label %hand.on

last:
  %told = invoke i32 @next(i32 %next)
          to label %hand.on unwind label %inner

inner:
  %second = landingpad { ptr, i32 }
          cleanup
  resume { ptr, i32 } %second

hand.on:
  %number = phi i32 [ %selector, %thrown ], [ %kept, %free ], [ %kept, %both ], [ %kept, %both ], [ %told, %last ]
  %loaded = load ptr, ptr %slot
  %half = insertvalue { ptr, i32 } poison, ptr %loaded, 0
  %whole = insertvalue { ptr, i32 } %half, i32 %number, 1
  resume { ptr, i32 } %whole

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @give_back(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @caught() presplitcoroutine personality ptr @__gxx_personality_v0 {
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
  br i1 %ramp, label %catch, label %hand.on

catch:
  call void @show(i32 99)
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @give_back(ptr %left)
  ret ptr null

hand.on:
  resume { ptr, i32 } %exception

cleanup:
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
  %f0 = call ptr @f(i32 3, i32 100, i32 0)
  call void @run(ptr %f0)
  call void @destroy(ptr %f0)
  %f1 = call ptr @f(i32 3, i32 100, i32 1)
  call void @run(ptr %f1)
  call void @destroy(ptr %f1)
  %f3 = call ptr @f(i32 3, i32 100, i32 3)
  call void @run(ptr %f3)
  call void @destroy(ptr %f3)
  %f4 = call ptr @f(i32 3, i32 100, i32 4)
  call void @run(ptr %f4)
  call void @destroy(ptr %f4)
  %g = call ptr @caught()
  call void @run(ptr %g)
  call void @destroy(ptr %g)
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
