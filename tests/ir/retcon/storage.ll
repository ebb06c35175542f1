; Memory from llvm.coro.alloca.alloc that lives across a suspend uses the coroutine's allocator and deallocator; other
; memory is on the stack.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup,default<O2>' -verify-each -S -o %t.O2.ll
; RUN: lli-22 %t.O2.ll | FileCheck %s --check-prefix=OUT

; CHECK-LABEL: define { ptr, ptr } @f(
; CHECK: alloca i8, i32
; CHECK-DAG: call ptr @allocate(i32
; CHECK-NOT: @malloc
; CHECK-LABEL: define internal { ptr, ptr } @f.resume.0(
; CHECK-DAG: call void @deallocate(ptr %room.reload)
; CHECK-DAG: call ptr @allocate(i32

; OUT: + 3 - 4 + 4 - 5 + 5 -

@plus = private constant [3 x i8] c"+ \00"
@minus = private constant [3 x i8] c"- \00"
@int = private constant [4 x i8] c"%d \00"

define { ptr, ptr } @f(ptr %buffer, i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.retcon(i32 32, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  br label %loop

loop:
  %i = phi i32 [ %n, %entry ], [ %next, %resume ]
  %bytes = mul i32 %i, 4
  %scratch = call token @llvm.coro.alloca.alloc.i32(i32 %bytes, i32 4)
  %there = call ptr @llvm.coro.alloca.get(token %scratch)
  store i32 %i, ptr %there
  %copy = load i32, ptr %there
  call void @llvm.coro.alloca.free(token %scratch)
  %room = call token @llvm.coro.alloca.alloc.i32(i32 %bytes, i32 8)
  %at = call ptr @llvm.coro.alloca.get(token %room)
  store i32 %copy, ptr %at
  %unwind = call i1 (...) @llvm.coro.suspend.retcon.i1(ptr %at)
  br i1 %unwind, label %cleanup, label %resume

resume:
  %again = call ptr @llvm.coro.alloca.get(token %room)
  %value = load i32, ptr %again
  call void @llvm.coro.alloca.free(token %room)
  %next = add i32 %value, 1
  call i32 (ptr, ...) @printf(ptr @int, i32 %next)
  br label %loop

cleanup:
  call void @llvm.coro.alloca.free(token %room)
  call void @llvm.coro.end(ptr %hdl, i1 0, token none)
  unreachable
}

define ptr @allocate(i32 %size) {
  call i32 (ptr, ...) @printf(ptr @plus)
  %wide = zext i32 %size to i64
  %memory = call ptr @calloc(i64 1, i64 %wide)
  ret ptr %memory
}

define void @deallocate(ptr %memory) {
  call i32 (ptr, ...) @printf(ptr @minus)
  call void @free(ptr %memory)
  ret void
}

define void @show({ ptr, ptr } %yielded) {
  %at = extractvalue { ptr, ptr } %yielded, 1
  %value = load i32, ptr %at
  call i32 (ptr, ...) @printf(ptr @int, i32 %value)
  ret void
}

define i32 @main() {
entry:
  %buffer = alloca [32 x i8], align 8
  %first = call { ptr, ptr } @f(ptr %buffer, i32 3)
  call void @show({ ptr, ptr } %first)
  %one = extractvalue { ptr, ptr } %first, 0
  %second = call { ptr, ptr } %one(ptr %buffer, i1 false)
  call void @show({ ptr, ptr } %second)
  %two = extractvalue { ptr, ptr } %second, 0
  %third = call { ptr, ptr } %two(ptr %buffer, i1 false)
  call void @show({ ptr, ptr } %third)
  %three = extractvalue { ptr, ptr } %third, 0
  %last = call { ptr, ptr } %three(ptr %buffer, i1 true)
  ret i32 0
}

declare { ptr, ptr } @prototype(ptr, i1 zeroext)
declare ptr @calloc(i64, i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
