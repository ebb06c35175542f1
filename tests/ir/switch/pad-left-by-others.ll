; Clang's output for Windows with /EHa: in the pad of a coro.end an invoke of a marker unwinds to the ramp's code after
; that end. In the clones an exception leaves the function after a coro.end, and all unwind edges of one pad must have
; one destination: there both go to a pad that ends the coroutine. @plain has no such invoke, and no such pad.
; The checker assumes that a marker does not unwind.
; RUN: pycoro opt %s -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll 2>&1 | \
; RUN:   FileCheck %s --check-prefix=CHECKED --allow-empty
; RUN: FileCheck %s < %t.ll
; RUN: llc-22 -filetype=obj %t.ll -o %t.o
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup,default<O2>' -S -o %t.O2.ll
; RUN: llc-22 -filetype=obj %t.O2.ll -o %t.O2.o

; CHECKED-NOT: warning

target datalayout = "e-m:w-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-windows-msvc"

; CHECK-LABEL: define ptr @f()
; CHECK: thrown:
; CHECK-NEXT: [[PAD:%.*]] = cleanuppad within none []
; CHECK-NEXT: invoke void @llvm.seh.scope.end() [ "funclet"(token [[PAD]]) ]
; CHECK-NEXT: to label %{{.*}} unwind label %ramp.only
; CHECK: cleanupret from %{{.*}} unwind to caller
; CHECK: cleanupret from [[PAD]] unwind label %ramp.only
; CHECK-NOT: end.pad
; CHECK-LABEL: define ptr @plain()
; CHECK-NOT: end.pad
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: thrown:
; CHECK-NEXT: [[PAD:%.*]] = cleanuppad within none []
; CHECK-NEXT: invoke void @llvm.seh.scope.end() [ "funclet"(token [[PAD]]) ]
; CHECK-NEXT: to label %[[ENDS:.*]] unwind label %end.pad
; CHECK: [[ENDS]]:
; CHECK-NEXT: br label %unwound
; CHECK: unwound:
; CHECK-NEXT: store ptr null, ptr %frame
; CHECK-NEXT: br label %propagate
; CHECK: propagate:
; CHECK-NEXT: cleanupret from [[PAD]] unwind label %end.pad
; CHECK: end.pad:
; CHECK-NEXT: [[OUT:%.*]] = cleanuppad within none []
; CHECK-NEXT: store ptr null, ptr %frame
; CHECK-NEXT: cleanupret from [[OUT]] unwind to caller
; CHECK-LABEL: define internal fastcc void @plain.resume(
; CHECK: [[PAD:%.*]] = cleanuppad within none []
; CHECK-NEXT: br label %unwound
; CHECK: unwound:
; CHECK-NEXT: store ptr null, ptr %frame
; CHECK-NEXT: br label %propagate
; CHECK: propagate:
; CHECK-NEXT: cleanupret from [[PAD]] unwind to caller

define ptr @f() presplitcoroutine personality ptr @__CxxFrameHandler3 {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  invoke void @llvm.seh.scope.begin()
          to label %first unwind label %thrown

first:
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  invoke void @work(ptr %promise)
          to label %done unwind label %thrown

done:
  invoke void @llvm.seh.scope.end()
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
  invoke void @llvm.seh.scope.end() [ "funclet"(token %pad) ]
          to label %ends unwind label %ramp.only

ends:
  call void @llvm.coro.end(ptr null, i1 true, token none) [ "funclet"(token %pad) ]
  cleanupret from %pad unwind label %ramp.only

ramp.only:
  %last = cleanuppad within none []
  call void @end(ptr %promise) [ "funclet"(token %last) ]
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %left) [ "funclet"(token %last) ]
  cleanupret from %last unwind to caller
}

define ptr @plain() presplitcoroutine personality ptr @__CxxFrameHandler3 {
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
  invoke void @work(ptr %promise)
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
  call void @free(ptr %left) [ "funclet"(token %last) ]
  cleanupret from %last unwind to caller
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i32 @llvm.coro.size.i32()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.seh.scope.begin()
declare void @llvm.seh.scope.end()
declare i32 @__CxxFrameHandler3(...)
declare void @work(ptr)
declare void @end(ptr) nounwind
declare ptr @malloc(i32)
declare void @free(ptr) nounwind

!llvm.module.flags = !{!0}
!0 = !{i32 2, !"eh-asynch", i32 1}
