; A suspend after an invoke of its resume or destroy function is removed, wherever the invoke unwinds to: a shared pad,
; or one that becomes unreachable. An invoke of another coroutine's handle stays.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S | FileCheck %s

; CHECK-LABEL: define ptr @resumed(
; CHECK: invoke void @may_throw()
; CHECK-NEXT: to label %before unwind label %thrown
; CHECK: before:
; CHECK-NEXT: br label %suspended
; CHECK: thrown:
; CHECK-NEXT: %which = phi i32 [ 1, %entry.after ], [ 3, %more ]
; CHECK-NOT: fastcc
; CHECK-LABEL: define ptr @destroyed(
; CHECK-NOT: landingpad
; CHECK: call void @use(i32 7)
; CHECK-NOT: landingpad
; CHECK-LABEL: define ptr @other(
; CHECK: invoke fastcc void %{{.*}}(ptr %handle)
; CHECK-NOT: @resumed.resume
; CHECK-NOT: @destroyed.resume
; CHECK: define internal fastcc void @other.resume(

define ptr @resumed(ptr %memory) presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  invoke void @may_throw()
          to label %before unwind label %thrown

before:
  %save = call token @llvm.coro.save(ptr %handle)
  invoke void @llvm.coro.resume(ptr %handle)
          to label %suspended unwind label %thrown

suspended:
  %s = call i8 @llvm.coro.suspend(token %save, i1 false)
  %none = icmp eq i8 %s, 0
  br i1 %none, label %more, label %suspend

more:
  invoke void @may_throw()
          to label %suspend unwind label %thrown

thrown:
  %which = phi i32 [ 1, %entry ], [ 2, %before ], [ 3, %more ]
  %exception = landingpad { ptr, i32 }
          catch ptr null
  call void @use(i32 %which)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @destroyed(ptr %memory) presplitcoroutine personality ptr @__gxx_personality_v0 {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  invoke void @llvm.coro.destroy(ptr %handle)
          to label %suspended unwind label %thrown

suspended:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %more
    i8 1, label %cleanup
  ]

more:
  call void @use(i32 6)
  br label %suspend

cleanup:
  call void @use(i32 7)
  br label %suspend

thrown:
  %exception = landingpad { ptr, i32 }
          catch ptr null
  call void @use(i32 8)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @other(ptr %memory, ptr %handle) presplitcoroutine personality ptr @__gxx_personality_v0 {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %own = call ptr @llvm.coro.begin(token %id, ptr %memory)
  invoke void @llvm.coro.resume(ptr %handle)
          to label %suspended unwind label %thrown

suspended:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  br label %suspend

thrown:
  %exception = landingpad { ptr, i32 }
          catch ptr null
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %own, i1 false, token none)
  ret ptr %own
}

declare void @may_throw()
declare void @use(i32)
declare i32 @__gxx_personality_v0(...)

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare token @llvm.coro.save(ptr)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
