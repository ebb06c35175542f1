; No reload or store fits into a catchswitch's block between a suspend and uses. Reloads are in the pads after it: a phi
; there, read by an outer pad's phi, would be poison to pad preparation or crash the code generator. Its phis are stored
; in the pads after it, and, with a second catchswitch, in that one's pads.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc-22 %t.ll -stop-after=win-eh-prepare -o - | FileCheck %s --check-prefix=MEANT
; RUN: llc-22 -O0 %t.ll -filetype=obj -o %t.o
; RUN: llc-22 -O2 %t.ll -filetype=obj -o %t.o

target triple = "x86_64-pc-windows-msvc"

; MEANT-NOT: store {{.*}} poison

; CHECK-LABEL: define internal fastcc void @nested.resume(
; CHECK: dispatch:
; CHECK: %switch = catchswitch within none [label %handler] unwind label %last
; CHECK: handler:
; CHECK-NEXT: %pad = catchpad
; CHECK-DAG: %a.reload = load i32
; CHECK-DAG: %b.reload = load i32
; CHECK: cleanup.inner:
; CHECK-NEXT: %inner = phi i32 [ %a.reload, %dispatch.inner ], [ %b.reload, %handler.inner ]

define ptr @nested() presplitcoroutine personality ptr @__CxxFrameHandler3 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %a = call i32 @value()
  %b = call i32 @value()
  invoke void @say(i32 0)
          to label %wait unwind label %dispatch

wait:
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  invoke void @say(i32 1)
          to label %wait unwind label %dispatch

dispatch:
  %switch = catchswitch within none [label %handler] unwind label %last

handler:
  %pad = catchpad within %switch [ptr null, i32 64, ptr null]
  invoke void @say(i32 2) [ "funclet"(token %pad) ]
          to label %caught unwind label %dispatch.inner

caught:
  catchret from %pad to label %cleanup

dispatch.inner:
  %switch.inner = catchswitch within %pad [label %handler.inner] unwind label %cleanup.inner

handler.inner:
  %pad.inner = catchpad within %switch.inner [ptr null, i32 64, ptr null]
  invoke void @say(i32 3) [ "funclet"(token %pad.inner) ]
          to label %caught.inner unwind label %cleanup.inner

caught.inner:
  catchret from %pad.inner to label %caught

cleanup.inner:
  %inner = phi i32 [ %a, %dispatch.inner ], [ %b, %handler.inner ]
  %out.inner = cleanuppad within %pad []
  call void @say(i32 %inner) [ "funclet"(token %out.inner) ]
  cleanupret from %out.inner unwind label %last

last:
  %which = phi i32 [ %b, %dispatch ], [ %a, %cleanup.inner ]
  %out = cleanuppad within none []
  call void @say(i32 %which) [ "funclet"(token %out) ]
  cleanupret from %out unwind to caller

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

; CHECK-LABEL: define internal fastcc void @in_line.resume(
; CHECK: dispatch:
; CHECK: %which = phi i32
; CHECK-NEXT: %switch = catchswitch within none [label %handler] unwind label %dispatch.next
; CHECK: handler:
; CHECK-NEXT: catchpad
; CHECK-NEXT: store i32 %which
; CHECK: dispatch.next:
; CHECK-NEXT: catchswitch
; CHECK: handler.next:
; CHECK-NEXT: catchpad
; CHECK-NEXT: store i32 %which

define ptr @in_line() presplitcoroutine personality ptr @__CxxFrameHandler3 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %first = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %first, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  invoke void @say(i32 1)
          to label %more unwind label %dispatch

more:
  invoke void @say(i32 2)
          to label %cleanup unwind label %dispatch

dispatch:
  %which = phi i32 [ 1, %resume ], [ 2, %more ]
  %switch = catchswitch within none [label %handler] unwind label %dispatch.next

handler:
  %pad = catchpad within %switch [ptr null, i32 0, ptr null]
  catchret from %pad to label %wait

dispatch.next:
  %switch.next = catchswitch within none [label %handler.next] unwind to caller

handler.next:
  %pad.next = catchpad within %switch.next [ptr null, i32 64, ptr null]
  catchret from %pad.next to label %wait

wait:
  %second = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %second, label %suspend [
    i8 0, label %tell
    i8 1, label %cleanup
  ]

tell:
  call void @say(i32 %which)
  br label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare i32 @__CxxFrameHandler3(...)
declare i32 @value()
declare void @say(i32)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
