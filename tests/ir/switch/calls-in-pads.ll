; The split's calls inside a pad have its funclet bundle: the allocation of a dynamic alloca in a handler, its end, and
; its release in a cleanup; calls of an await wrapper keep theirs. Without it the code generator treats the call as
; unreachable.
; RUN: sed -e 's/PERSONALITY/__CxxFrameHandler3/' -e 's/TRIPLE/x86_64-pc-windows-msvc/' %s > %t.win.ll
; RUN: sed -e 's/PERSONALITY/__gxx_wasm_personality_v0/' -e 's/TRIPLE/wasm32-unknown-unknown/' %s > %t.wasm.ll
; RUN: pycoro opt %t.win.ll -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.win.split.ll
; RUN: FileCheck %s < %t.win.split.ll
; RUN: llc-22 %t.win.split.ll -stop-after=win-eh-prepare -o - | FileCheck %s --check-prefix=KEPT
; RUN: pycoro opt %t.wasm.ll -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.wasm.split.ll
; RUN: FileCheck %s < %t.wasm.split.ll
; RUN: llc-22 -mattr=+exception-handling -wasm-enable-eh -exception-model=wasm %t.wasm.split.ll -filetype=obj -o %t.o

target triple = "TRIPLE"

; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: handler:
; CHECK: [[PAD:%.*]] = catchpad within
; CHECK: call ptr @malloc({{.*}}) [ "funclet"(token [[PAD]]) ]
; CHECK: call void @use({{.*}}) [ "funclet"(token [[PAD]]) ]
; CHECK: call void @wrapper({{.*}}) [ "funclet"(token [[PAD]]) ]
; CHECK: catchret from [[PAD]]
; CHECK: thrown:
; CHECK: [[OUT:%.*]] = cleanuppad within none
; CHECK: call void @f.release({{.*}}) [ "funclet"(token [[OUT]]) ]
; CHECK: call void @free({{.*}}) [ "funclet"(token [[OUT]]) ]
; CHECK: cleanupret from [[OUT]] unwind to caller

; The same calls are there behind the preparation of pads.
; KEPT-LABEL: define internal fastcc void @f.resume(
; KEPT: catchpad within
; KEPT: call ptr @malloc(
; KEPT: call void @use(
; KEPT: call void @wrapper(
; KEPT: catchret
; KEPT: cleanuppad within none
; KEPT: call void @f.release(
; KEPT: call void @free(

define ptr @f(i32 %n) presplitcoroutine personality ptr @PERSONALITY {
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
          to label %again unwind label %dispatch

dispatch:
  %switch = catchswitch within none [label %handler] unwind label %thrown

handler:
  %pad = catchpad within %switch [ptr null, i32 64, ptr null]
  %room = alloca i8, i32 %n
  call void @use(ptr %room) [ "funclet"(token %pad) ]
  call void @llvm.coro.await.suspend.void(ptr %room, ptr %frame, ptr @wrapper) [ "funclet"(token %pad) ]
  catchret from %pad to label %again

again:
  %kept = phi ptr [ %promise, %resume ], [ %room, %handler ]
  %second = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %second, label %suspend [
    i8 0, label %last
    i8 1, label %cleanup
  ]

last:
  invoke void @use(ptr %kept)
          to label %cleanup unwind label %thrown

thrown:
  %out = cleanuppad within none []
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %left) [ "funclet"(token %out) ]
  cleanupret from %out unwind to caller

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare void @work()
declare void @use(ptr)
declare void @wrapper(ptr, ptr)
declare i32 @PERSONALITY(...)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i32 @llvm.coro.size.i32()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.await.suspend.void(ptr, ptr, ptr)
declare ptr @malloc(i32)
declare void @free(ptr)
