; Destroying a coroutine ended by an exception runs the code of the ramp's last pads outside of pads. It takes no path
; into a pad that the clones run too: then destroy only frees the frame. An exit of a pad that control has left before,
; which is undefined by LangRef, becomes `unreachable`.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc-22 -mtriple=x86_64-pc-windows-msvc -filetype=obj %t.ll -o %t.o

; CHECK-LABEL: define internal fastcc void @left.again.destroy(
; CHECK: ramp.only.unwound:
; CHECK: call void @end(ptr %promise.reload.addr){{$}}
; CHECK-NEXT: br i1 %c.reload, label %again.unwound, label %over.unwound
; CHECK: again.unwound:
; CHECK-NEXT: unreachable
; CHECK: over.unwound:
; CHECK-NEXT: call void @free(ptr %frame){{$}}
; CHECK-NEXT: br label %destroyed
; CHECK-LABEL: define internal fastcc void @fatal.pad.destroy(
; CHECK-NOT: @abort
; CHECK: destroy.done:
; CHECK-NEXT: br label %destroyed
; CHECK-LABEL: define internal fastcc void @back.to.body.destroy(
; CHECK-NOT: ramp.only
; CHECK: destroy.done:
; CHECK-NEXT: br label %destroyed
; CHECK-LABEL: define internal fastcc void @back.to.body.cleanup(

define ptr @left.again(i1 %c) presplitcoroutine personality ptr @__CxxFrameHandler3 {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  invoke void @work()
          to label %cleanup unwind label %thrown

cleanup:
  call void @end(ptr %promise)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

thrown:
  %pad = cleanuppad within none []
  call void @llvm.coro.end(ptr null, i1 true, token none) [ "funclet"(token %pad) ]
  cleanupret from %pad unwind label %ramp.only

ramp.only:
  %last = cleanuppad within none []
  call void @end(ptr %promise) [ "funclet"(token %last) ]
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  br i1 %c, label %again, label %over

again:
  cleanupret from %pad unwind label %ramp.only

over:
  call void @free(ptr %left) [ "funclet"(token %last) ]
  cleanupret from %last unwind to caller
}

define ptr @fatal.pad(i1 %c) presplitcoroutine personality ptr @__CxxFrameHandler3 {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  invoke void @work()
          to label %more unwind label %thrown

more:
  invoke void @work()
          to label %cleanup unwind label %terminate

cleanup:
  call void @end(ptr %promise)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

thrown:
  %pad = cleanuppad within none []
  call void @llvm.coro.end(ptr null, i1 true, token none) [ "funclet"(token %pad) ]
  cleanupret from %pad unwind label %ramp.only

ramp.only:
  %last = cleanuppad within none []
  call void @end(ptr %promise) [ "funclet"(token %last) ]
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %left) [ "funclet"(token %last) ]
  cleanupret from %last unwind label %terminate

terminate:
  %fatal = cleanuppad within none []
  call void @abort() [ "funclet"(token %fatal) ]
  unreachable
}

define ptr @back.to.body(i1 %c) presplitcoroutine personality ptr @__CxxFrameHandler3 {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  invoke void @work()
          to label %cleanup unwind label %thrown

cleanup:
  call void @end(ptr %promise)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br i1 %c, label %resume, label %cleanup

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

thrown:
  %pad = cleanuppad within none []
  call void @llvm.coro.end(ptr null, i1 true, token none) [ "funclet"(token %pad) ]
  cleanupret from %pad unwind label %ramp.only

ramp.only:
  %last = cleanuppad within none []
  call void @end(ptr %promise) [ "funclet"(token %last) ]
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  br label %resume
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i32 @llvm.coro.size.i32()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare i32 @__CxxFrameHandler3(...)
declare void @work()
declare void @end(ptr) nounwind
declare void @abort() noreturn
declare ptr @malloc(i32)
declare void @free(ptr) nounwind
