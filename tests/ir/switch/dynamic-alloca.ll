; Dynamic allocas that live across a suspend are on the heap: one block for each execution, freed with the frame at the
; end or by destroy.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-LABEL: define {{.*}}@f(
; CHECK: call ptr @malloc(
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: call void @f.release(
; CHECK-LABEL: define internal fastcc void @f.destroy(
; CHECK: call void @f.release(

; OUT: 5 5 1 9 5 5 1 9 0

@int = private constant [4 x i8] c"%d \00"
@live = global i32 0

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @allocate(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop

loop:
  %i = phi i32 [ 1, %entry ], [ %next, %resume ]
  %kept = phi ptr [ null, %entry ], [ %array, %resume ]
  %array = alloca i32, i32 %i
  %last = sub i32 %i, 1
  %at = getelementptr i32, ptr %array, i32 %last
  %value = mul i32 %i, 4
  %more = add i32 %value, 1
  store i32 1, ptr %array
  store i32 %more, ptr %at
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  %first = load i32, ptr %array
  call void @show(i32 %first)
  %there = load i32, ptr %at
  call void @show(i32 %there)
  %next = add i32 %i, 1
  %done = icmp sgt i32 %next, %n
  br i1 %done, label %cleanup, label %loop

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @deallocate(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define void @show(i32 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define ptr @allocate(i32 %size) {
  %now = load i32, ptr @live
  %more = add i32 %now, 1
  store i32 %more, ptr @live
  %wide = zext i32 %size to i64
  %memory = call ptr @malloc(i64 %wide)
  ret ptr %memory
}

define void @deallocate(ptr %memory) {
  %now = load i32, ptr @live
  %less = sub i32 %now, 1
  store i32 %less, ptr @live
  call void @free(ptr %memory)
  ret void
}

define i32 @main() {
  %h = call ptr @f(i32 2)
  call void @llvm.coro.resume(ptr %h)
  call void @llvm.coro.resume(ptr %h)
  %g = call ptr @f(i32 7)
  call void @llvm.coro.resume(ptr %g)
  call void @llvm.coro.resume(ptr %g)
  call void @llvm.coro.destroy(ptr %g)
  %left = load i32, ptr @live
  call void @show(i32 %left)
  ret i32 0
}

declare i32 @printf(ptr, ...)
declare ptr @malloc(i64)
declare void @free(ptr)
