; A coroutine without a suspend is an ordinary function: it has no clones, and the code guarded by coro.alloc does not
; run.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: call {{.*}}@llvm.coro
; CHECK-NOT: @f.resume
; CHECK-NOT: @f.destroy
; CHECK-NOT: @f.cleanup
; OUT: {{^}}7 8{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %variable = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %needed = call i1 @llvm.coro.alloc(token %id)
  br i1 %needed, label %allocate, label %begin

allocate:
  call void @show(i32 99)
  %size = call i32 @llvm.coro.size.i32()
  %fresh = call ptr @malloc(i32 %size)
  br label %begin

begin:
  %memory = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store i32 %n, ptr %variable
  %v = load i32, ptr %variable
  call void @show(i32 %v)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  %owned = icmp ne ptr %block, null
  br i1 %owned, label %release, label %end

release:
  call void @show(i32 98)
  call void @free(ptr %block)
  br label %end

end:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr null
}

define void @show(i32 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define i32 @main() {
  %handle = call ptr @f(i32 7)
  call void @show(i32 8)
  ret i32 0
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare i32 @llvm.coro.size.i32()
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare ptr @malloc(i32)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
