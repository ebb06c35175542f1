; With funclet pads, the ramp continues from the pad of a coro.end to further pads, which run the cleanup. Destroying a
; coroutine ended by an exception runs the same code outside of pads, by calls without a funclet bundle. @main marks the
; coroutine as an exception would, because handlers run on Windows only; so only called functions are compiled.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 -jit-kind=orc-lazy %t.ll | FileCheck %s --check-prefix=OUT
; RUN: llc-22 -mtriple=x86_64-pc-windows-msvc -filetype=obj %t.ll -o %t.o

; CHECK-LABEL: define internal fastcc void @plain.destroy(
; CHECK-NOT: cleanuppad
; CHECK: ramp.only.unwound:
; CHECK-NEXT: call void @end(ptr nonnull %promise.reload.addr){{$}}
; CHECK-NEXT: br label %more.unwound
; CHECK: more.unwound:
; CHECK-NEXT: call void @give_back(ptr %frame){{$}}
; CHECK-NEXT: br label %last.unwound
; CHECK: last.unwound:
; CHECK-NEXT: br label %destroyed
; CHECK: destroyed:
; CHECK-NEXT: br label %suspend
; CHECK: suspend:
; CHECK-NEXT: ret void
; CHECK-LABEL: define internal fastcc void @plain.cleanup(

; OUT: {{^}}42 8 6 42 8{{ ?$}}

target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"

define ptr @plain() presplitcoroutine personality ptr @__CxxFrameHandler3 {
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
  invoke void @work(ptr %promise)
          to label %cleanup unwind label %thrown

cleanup:
  call void @show(i32 6)
  call void @end(ptr %promise)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @give_back(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

thrown:
  %pad = cleanuppad within none []
  call void @llvm.coro.end(ptr null, i1 true, token none) [ "funclet"(token %pad) ]
  cleanupret from %pad unwind label %ramp.only

ramp.only:
  %next = cleanuppad within none []
  call void @end(ptr nonnull %promise) [ "funclet"(token %next) ]
  cleanupret from %next unwind label %more

more:
  %then = cleanuppad within none []
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @give_back(ptr %left) [ "funclet"(token %then) ]
  cleanupret from %then unwind label %last

last:
  %last.pad = cleanuppad within none []
  cleanupret from %last.pad unwind to caller
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

define void @show(i32 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define void @work(ptr %promise) {
  ret void
}

define i32 @main() {
  %a = call ptr @plain()
  store ptr null, ptr %a
  call void @llvm.coro.destroy(ptr %a)
  %b = call ptr @plain()
  call void @llvm.coro.destroy(ptr %b)
  ret i32 0
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i32 @llvm.coro.size.i32()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.destroy(ptr)
declare i32 @__CxxFrameHandler3(...)
declare ptr @malloc(i32)
declare void @free(ptr) nounwind
declare i32 @printf(ptr, ...)
