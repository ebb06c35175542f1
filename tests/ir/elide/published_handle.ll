; The published handle summary lets callers in other modules put the frame on their stack, by the same proof as for
; local coroutines. The called ramp's name encodes the facts that they rely on. A published module states what it can
; prove.
; RUN: pycoro opt %s -S -pass-remarks-missed=coro-elide -passes='coro-early,cgscc(coro-split),function(coro-elide),coro-cleanup' 2>%t | FileCheck %s
; RUN: FileCheck %s --check-prefix=SAID < %t

; CHECK-DAG: @here.noalloc.v1.16.8 = alias ptr (ptr), ptr @here.noalloc
; CHECK-DAG: @here.noalloc.v1.16.8.h1.r.ramp.unwound.resume.nounwind = alias ptr (ptr), ptr @here.noalloc
; CHECK-DAG: @tells.noalloc.v1.16.8.h1.r.unwound = alias ptr (ptr), ptr @tells.noalloc

; CHECK-LABEL: define void @told(
; CHECK: %there.frame = alloca [40 x i8], align 16
; CHECK: %handle = call ptr @there.noalloc.v1.40.16.h1.r.ramp.resume(i32 %n, ptr %there.frame)
; CHECK: define void @in_memory(
; CHECK: call void @owned.noalloc.v1.24.8.h1.p0_8.ramp.resume(ptr %owner, ptr %owned.frame)
; CHECK: define void @dropped(
; CHECK: call ptr @there.noalloc
; CHECK: define void @kept(
; CHECK: call ptr @there(i32 %n)
; CHECK: define void @perhaps(
; CHECK: call ptr @perhaps_null.noalloc.v1.24.8.h1.rm.ramp.resume(
; CHECK: define void @of_array(
; CHECK: call [2 x ptr] @array.noalloc.v1.24.8.h1.r1.ramp.resume(
; CHECK: define void @silent(
; CHECK: call ptr @says_nothing()
; CHECK: define void @tomorrow(
; CHECK: call ptr @of_tomorrow()
; SAID: 'there' not elided in 'kept': its handle is stored to @room, and a path to a return does not destroy it
; SAID: 'says_nothing' not elided in 'silent': its module exports no handle summary
; SAID: 'of_tomorrow' not elided in 'tomorrow': its module exports a handle summary of an unknown version

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
@room = global [64 x i8] zeroinitializer
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare ptr @there(i32 signext) "coro-frame"="1,40,16" "coro-handle"="1,r,ramp,resume"
declare void @owned(ptr) "coro-frame"="1,24,8" "coro-handle"="1,p0_8,ramp,resume"
declare ptr @perhaps_null() "coro-frame"="1,24,8" "coro-handle"="1,rm,ramp,resume"
declare [2 x ptr] @array() "coro-frame"="1,24,8" "coro-handle"="1,r1,ramp,resume"
declare ptr @says_nothing() "coro-frame"="1,24,8"
declare ptr @of_tomorrow() "coro-frame"="1,24,8" "coro-handle"="2,r,ramp,resume,wisely"

define void @told(i32 %n) {
  %handle = call ptr @there(i32 %n)
  call void @llvm.coro.resume(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}

define void @in_memory() {
  %owner = alloca { i64, ptr }
  call void @owned(ptr %owner)
  %place = getelementptr i8, ptr %owner, i64 8
  %handle = load ptr, ptr %place
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}

; Nobody is left who could go on with it.
define void @dropped(i32 %n) {
  %handle = call ptr @there(i32 %n)
  ret void
}

define void @kept(i32 %n) {
  %handle = call ptr @there(i32 %n)
  store ptr %handle, ptr @room
  ret void
}

define void @perhaps() {
  %handle = call ptr @perhaps_null()
  %none = icmp eq ptr %handle, null
  br i1 %none, label %out, label %over
over:
  call void @llvm.coro.destroy(ptr %handle)
  br label %out
out:
  ret void
}

define void @of_array() {
  %both = call [2 x ptr] @array()
  %handle = extractvalue [2 x ptr] %both, 1
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}

define void @silent() {
  %handle = call ptr @says_nothing()
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}

define void @tomorrow() {
  %handle = call ptr @of_tomorrow()
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}

define ptr @here() presplitcoroutine "coro-publish" {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %wanted = call i1 @llvm.coro.alloc(token %id)
  %memory = select i1 %wanted, ptr @room, ptr null
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare void @keep(ptr)
define ptr @tells() presplitcoroutine "coro-publish" {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %wanted = call i1 @llvm.coro.alloc(token %id)
  %memory = select i1 %wanted, ptr @room, ptr null
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr %frame, ptr @room
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [i8 0, label %resume
                            i8 1, label %out]
resume:
  call void @keep(ptr %frame)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}
