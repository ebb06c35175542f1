; One cleanup with an index of its successor: the ramp's path after an unwind end uses it too. A coroutine ended by an
; exception runs a copy of it for the index of that path, where it returns instead of propagating: no clone reaches the
; propagation of the cleanup. @differs also shows another number, and @unfinished has no final suspend.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; RUN: sed 's/br i1 %%propagates, label %%lost.on, label %%suspend/switch i1 %%propagates, label %%suspend [i1 1, label %%lost.on]/' %s > %t.switched.ll
; RUN: pycoro opt %t.switched.ll -passes='coro-early,cgscc(coro-split),coro-cleanup' -S | FileCheck %s
; RUN: sed 's/%%propagates = icmp eq i32 %%to, 3/%%odd = and i32 %%to, 1\n  %%propagates = icmp ugt i32 %%odd, 0/' %s > %t.computed.ll
; RUN: pycoro opt %t.computed.ll -passes='coro-early,cgscc(coro-split),coro-cleanup' -S | FileCheck %s
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup,default<O2>' -S -o %t.O2.ll
; RUN: lli-22 %t.O2.ll | FileCheck %s --check-prefix=OUT

; CHECK: define internal fastcc void @same.resume(
; CHECK: landingpad
; CHECK: store ptr null, ptr %frame
; CHECK: store i8 2, ptr
; CHECK: resume { ptr, i32 }
; CHECK: define internal fastcc void @same.destroy(
; CHECK: switch i8 %index, label %unreachable [
; CHECK-NEXT: i8 0, label %resume.0
; CHECK-NEXT: i8 1, label %resume.1
; CHECK-NEXT: i8 2, label %destroy.done
; CHECK-NEXT: ], !prof
; CHECK-NOT: resume {
; CHECK: define internal fastcc void @same.cleanup(
; CHECK: define internal fastcc void @differs.resume(
; CHECK: store i8 2, ptr
; CHECK: define internal fastcc void @differs.destroy(
; CHECK: switch i8 %index, label %unreachable [
; CHECK-NEXT: i8 0, label %resume.0
; CHECK-NEXT: i8 1, label %resume.1
; CHECK-NEXT: i8 2, label %destroy.done
; CHECK-NEXT: ], !prof
; CHECK-NOT: resume {
; CHECK: define internal fastcc void @differs.cleanup(
; CHECK: define internal fastcc void @unfinished.destroy(
; CHECK: br i1 %done, label %destroy.done, label %{{.*}}, !prof
; CHECK-NOT: resume {
; CHECK: define internal fastcc void @unfinished.cleanup(

; OUT: {{^}}same: 42 8 1 42 8 -1 42 8
; OUT-SAME: differs: 1 8 1 2 8 -1 -3 8
; OUT-SAME: unfinished: 1 8 -1 -3 8{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"
@_ZTIi = external constant ptr
@same.name = private constant [7 x i8] c"same: \00"
@differs.name = private constant [10 x i8] c"differs: \00"
@unfinished.name = private constant [13 x i8] c"unfinished: \00"

define ptr @same(i1 %fatal) presplitcoroutine personality ptr @__gxx_personality_v0 {
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
    i8 1, label %over
  ]

resume:
  br i1 %fatal, label %fail, label %last

fail:
  invoke void @throw()
          to label %never unwind label %thrown

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  %minus = call i32 @minus()
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %over, label %hand.on

last:
  %final = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %final, label %suspend [
    i8 0, label %never
    i8 1, label %over
  ]

over:
  %to = phi i32 [ 2, %entry ], [ 2, %last ], [ 3, %thrown ]
  %lost = phi { ptr, i32 } [ poison, %entry ], [ poison, %last ], [ %exception, %thrown ]
  call void @end(ptr %promise)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @give_back(ptr %block)
  %propagates = icmp eq i32 %to, 3
  br i1 %propagates, label %lost.on, label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

lost.on:
  resume { ptr, i32 } %lost

hand.on:
  resume { ptr, i32 } %exception

never:
  unreachable
}

define ptr @differs(i1 %fatal) presplitcoroutine personality ptr @__gxx_personality_v0 {
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
    i8 1, label %over
  ]

resume:
  br i1 %fatal, label %fail, label %last

fail:
  invoke void @throw()
          to label %never unwind label %thrown

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  %minus = call i32 @minus()
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %over, label %hand.on

last:
  %final = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %final, label %suspend [
    i8 0, label %never
    i8 1, label %over
  ]

over:
  %to = phi i32 [ 2, %entry ], [ 2, %last ], [ 3, %thrown ]
  %lost = phi { ptr, i32 } [ poison, %entry ], [ poison, %last ], [ %exception, %thrown ]
  %what = phi i32 [ 1, %entry ], [ 2, %last ], [ %minus, %thrown ]
  call void @show(i32 %what)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @give_back(ptr %block)
  %propagates = icmp eq i32 %to, 3
  br i1 %propagates, label %lost.on, label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

lost.on:
  resume { ptr, i32 } %lost

hand.on:
  resume { ptr, i32 } %exception

never:
  unreachable
}

define ptr @unfinished(i1 %fatal) presplitcoroutine personality ptr @__gxx_personality_v0 {
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
    i8 1, label %over
  ]

resume:
  br label %fail

fail:
  invoke void @throw()
          to label %never unwind label %thrown

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  %minus = call i32 @minus()
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %over, label %hand.on

over:
  %to = phi i32 [ 2, %entry ], [ 3, %thrown ]
  %lost = phi { ptr, i32 } [ poison, %entry ], [ %exception, %thrown ]
  %what = phi i32 [ 1, %entry ], [ %minus, %thrown ]
  call void @show(i32 %what)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @give_back(ptr %block)
  %propagates = icmp eq i32 %to, 3
  br i1 %propagates, label %lost.on, label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

lost.on:
  resume { ptr, i32 } %lost

hand.on:
  resume { ptr, i32 } %exception

never:
  unreachable
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

define i32 @minus() noinline {
  ret i32 -3
}

define void @throw() noinline {
  %object = call ptr @__cxa_allocate_exception(i64 4)
  call void @__cxa_throw(ptr %object, ptr @_ZTIi, ptr null)
  unreachable
}

; Shows 1 if it has come back, -1 if it threw; it is done.
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
  %number = sext i1 %ended to i32
  call void @show(i32 %number)
  ret void
}

define void @show(i32 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define i32 @main() {
  call i32 (ptr, ...) @printf(ptr @same.name)
  %h1 = call ptr @same(i1 false)
  call void @llvm.coro.destroy(ptr %h1)
  %h2 = call ptr @same(i1 false)
  call void @run(ptr %h2)
  call void @llvm.coro.destroy(ptr %h2)
  %h3 = call ptr @same(i1 true)
  call void @run(ptr %h3)
  call void @llvm.coro.destroy(ptr %h3)
  call i32 (ptr, ...) @printf(ptr @differs.name)
  %h4 = call ptr @differs(i1 false)
  call void @llvm.coro.destroy(ptr %h4)
  %h5 = call ptr @differs(i1 false)
  call void @run(ptr %h5)
  call void @llvm.coro.destroy(ptr %h5)
  %h6 = call ptr @differs(i1 true)
  call void @run(ptr %h6)
  call void @llvm.coro.destroy(ptr %h6)
  call i32 (ptr, ...) @printf(ptr @unfinished.name)
  %h7 = call ptr @unfinished(i1 true)
  call void @llvm.coro.destroy(ptr %h7)
  %h8 = call ptr @unfinished(i1 true)
  call void @run(ptr %h8)
  call void @llvm.coro.destroy(ptr %h8)
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
