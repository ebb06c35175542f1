; Values of every shape survive a suspend: one bit, a wide integer, floating point, a vector, a struct, an array.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: call {{.*}}@llvm.coro
; OUT: {{^}}1 77 -5 4 30 6 9{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %seen = call i32 @opaque(i32 %n)
  %bit = icmp eq i32 %seen, 3
  %bit.kept = call i1 @opaque.bit(i1 %bit)
  %wide = call i129 @make.wide(i32 %seen)
  %real = call double @make.double(i32 %seen)
  %vector = call <4 x float> @make.vector(i32 %seen)
  %struct = call { i8, i64, [2 x i16] } @make.struct(i32 %seen)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  %bit.int = zext i1 %bit.kept to i32
  call void @show(i32 %bit.int)
  %high = lshr i129 %wide, 100
  %high.int = trunc i129 %high to i32
  call void @show(i32 %high.int)
  %real.int = fptosi double %real to i32
  call void @show(i32 %real.int)
  %lane = extractelement <4 x float> %vector, i32 3
  %lane.int = fptosi float %lane to i32
  call void @show(i32 %lane.int)
  %field = extractvalue { i8, i64, [2 x i16] } %struct, 1
  %field.int = trunc i64 %field to i32
  call void @show(i32 %field.int)
  %inner = extractvalue { i8, i64, [2 x i16] } %struct, 2, 1
  %inner.int = zext i16 %inner to i32
  call void @show(i32 %inner.int)
  %small = extractvalue { i8, i64, [2 x i16] } %struct, 0
  %small.int = zext i8 %small to i32
  call void @show(i32 %small.int)
  br label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define i32 @opaque(i32 %n) noinline {
  ret i32 %n
}

define i1 @opaque.bit(i1 %b) noinline {
  ret i1 %b
}

define i129 @make.wide(i32 %n) noinline {
  %extended = zext i32 %n to i129
  %sum = add i129 %extended, 74
  %shifted = shl i129 %sum, 100
  ret i129 %shifted
}

define double @make.double(i32 %n) noinline {
  %converted = sitofp i32 %n to double
  %less = fsub double %converted, 8.5
  ret double %less
}

define <4 x float> @make.vector(i32 %n) noinline {
  %converted = sitofp i32 %n to float
  %vector = insertelement <4 x float> <float 1.0, float 2.0, float 3.0, float 4.0>, float %converted, i32 0
  ret <4 x float> %vector
}

define { i8, i64, [2 x i16] } @make.struct(i32 %n) noinline {
  %n.64 = zext i32 %n to i64
  %ten.times = mul i64 %n.64, 10
  %struct = insertvalue { i8, i64, [2 x i16] } { i8 9, i64 0, [2 x i16] [i16 5, i16 6] }, i64 %ten.times, 1
  ret { i8, i64, [2 x i16] } %struct
}

define void @show(i32 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define i32 @main() {
  %handle = call ptr @f(i32 3)
  call void @llvm.coro.resume(ptr %handle)
  ret i32 0
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i32 @llvm.coro.size.i32()
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.resume(ptr)
declare ptr @malloc(i32)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
