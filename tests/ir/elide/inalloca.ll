; An inalloca parameter must be last: such a coroutine gets no variant with a caller-provided frame, for a local, marked
; or external caller.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -passes='default<O2>' -S --pass-remarks-missed=coro-elide -o %t.ll 2>&1 | FileCheck %s --check-prefix=WHY
; RUN: pycoro opt %s -passes='default<O2>' -S --export-summary=%t.json | FileCheck %s

; WHY: 'f' not elided in 'main'
; CHECK: define {{.*}}ptr @f(ptr inalloca(i32)
; CHECK-NOT: f.noalloc

target datalayout = "e-m:x-p:32:32-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:32-n8:16:32-a:0:32-S32"
target triple = "i686-pc-windows-msvc"

define ptr @f(ptr inalloca(i32) %argument) presplitcoroutine noinline {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i32 @llvm.coro.size.i32()
  %fresh = call ptr @malloc(i32 %size)
  br label %begin
begin:
  %memory = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %cleanup
                             i8 1, label %cleanup ]
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %old)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define i32 @main() nounwind {
  %stack = call ptr @llvm.stacksave.p0()
  %argument = alloca inalloca i32
  store i32 1, ptr %argument
  %h = call ptr @f(ptr inalloca(i32) %argument)
  call void @llvm.stackrestore.p0(ptr %stack)
  call void @llvm.coro.destroy(ptr %h)
  ret i32 0
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i32 @llvm.coro.size.i32()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.destroy(ptr)
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
declare ptr @malloc(i32)
declare void @free(ptr)
