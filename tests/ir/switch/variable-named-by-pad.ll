; A catchpad names the exception's alloca by its stack offset, the only form that Windows' tables support. So it is
; never in the frame.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc-22 -O2 %t.ll -filetype=obj -o %t.o

target triple = "x86_64-pc-windows-msvc"

; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK-NEXT: entry.resume:
; CHECK-NEXT: %exception = alloca ptr
; CHECK: {{^}}handler:
; CHECK-NEXT: %pad = catchpad within %switch [ptr null, i32 8, ptr %exception]

define ptr @f() presplitcoroutine personality ptr @__CxxFrameHandler3 {
entry:
  %exception = alloca ptr
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr null, ptr %exception
  br label %wait

wait:
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  invoke void @throw()
          to label %wait unwind label %dispatch

dispatch:
  %switch = catchswitch within none [label %handler] unwind to caller

handler:
  %pad = catchpad within %switch [ptr null, i32 8, ptr %exception]
  call void @use(ptr %exception) [ "funclet"(token %pad) ]
  catchret from %pad to label %again

again:
  call void @use(ptr %exception)
  br label %wait

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare i32 @__CxxFrameHandler3(...)
declare void @throw()
declare void @use(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
