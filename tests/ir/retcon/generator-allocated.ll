; A frame that does not fit into the buffer is allocated by the function in the id, its address is in the buffer, and
; every end frees it. The allocator guarantees malloc's alignment only, so a larger alignment is established inside the
; field at run time.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-LABEL: define { ptr, i32 } @f(
; CHECK: %[[FRAME:.*]] = call fastcc ptr @allocate(i32 [[SIZE:[0-9]+]])
; CHECK: store ptr %[[FRAME]], ptr %buffer, align 8
; CHECK-LABEL: define internal { ptr, i32 } @f.resume.0(
; CHECK: load ptr, ptr %buffer, align 8
; CHECK: call void @deallocate(
; CHECK: ret { ptr, i32 }
; OUT: allocated 4 aligned 16 freed 1

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@made = private constant [11 x i8] c"allocated \00"
@int = private constant [4 x i8] c"%d \00"
@where = private constant [12 x i8] c"aligned %d \00"
@freed = private constant [10 x i8] c"freed %d\0A\00"

define { ptr, i32 } @f(ptr %buffer, i32 %n) {
entry:
  %wide = alloca i32, align 64
  %id = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %frame = call ptr @llvm.coro.begin(token %id, ptr null)
  store i32 %n, ptr %wide
  br label %loop
loop:
  %i = load i32, ptr %wide
  %stop = call i1 (...) @llvm.coro.suspend.retcon.i1(i32 %i)
  br i1 %stop, label %cleanup, label %more
more:
  %square = mul i32 %i, %i
  store i32 %square, ptr %wide
  call void @look(ptr %wide)
  br label %loop
cleanup:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  unreachable
}

define i32 @main() {
  %buffer = alloca ptr, align 8
  %a = call { ptr, i32 } @f(ptr %buffer, i32 4)
  call void @show({ ptr, i32 } %a)
  %go = extractvalue { ptr, i32 } %a, 0
  %b = call { ptr, i32 } %go(ptr %buffer, i1 zeroext false)
  call void @show({ ptr, i32 } %b)
  %go.b = extractvalue { ptr, i32 } %b, 0
  %c = call { ptr, i32 } %go.b(ptr %buffer, i1 zeroext true)
  ret i32 0
}

define void @show({ ptr, i32 } %state) {
  %value = extractvalue { ptr, i32 } %state, 1
  call i32 (ptr, ...) @printf(ptr @int, i32 %value)
  ret void
}

define void @look(ptr %wide) {
  %bits = ptrtoint ptr %wide to i64
  %low = and i64 %bits, 63
  %off = icmp ne i64 %low, 0
  br i1 %off, label %bad, label %good
bad:
  call i32 (ptr, ...) @printf(ptr @int, i32 -1)
  ret void
good:
  call i32 (ptr, ...) @printf(ptr @aligned)
  ret void
}
@aligned = private constant [9 x i8] c"aligned \00"

define fastcc ptr @allocate(i32 %size) {
  call i32 (ptr, ...) @printf(ptr @made)
  %long = zext i32 %size to i64
  %memory = call ptr @malloc(i64 %long)
  ret ptr %memory
}

define void @deallocate(ptr %memory) {
  call void @free(ptr %memory)
  call i32 (ptr, ...) @printf(ptr @freed, i32 1)
  ret void
}

declare { ptr, i32 } @prototype(ptr, i1 zeroext)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare void @llvm.coro.end(ptr, i1, token)
