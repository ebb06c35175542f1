; A function with the name of a helper of the lowering is not mistaken for the helper.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK: define void @f.release(ptr %list) {
; CHECK-NEXT: call void @show(i32 -1)
; CHECK: define internal void @f.drop(ptr %head, ptr %block) {
; CHECK-NEXT: call void @show(i32 -2)
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: call void @[[DROP:f.drop.[0-9]+]](ptr
; CHECK: call void @[[RELEASE:f.release.[0-9]+]](ptr
; CHECK: define internal void @[[DROP]](ptr
; CHECK: define internal void @[[RELEASE]](ptr

; What the coroutine shows, and what the program's own functions do when they are called by their names.
; OUT: {{^}}5 7 -1 -2{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"

define void @f.release(ptr %list) {
  call void @show(i32 -1)
  ret void
}

define internal void @f.drop(ptr %head, ptr %block) {
  call void @show(i32 -2)
  ret void
}

define ptr @f(i64 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %array = alloca i32, i64 %n
  store i32 5, ptr %array
  %token = call token @llvm.coro.alloca.alloc.i64(i64 %n, i32 8)
  %storage = call ptr @llvm.coro.alloca.get(token %token)
  store i32 7, ptr %storage
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  %first = load i32, ptr %array
  call void @show(i32 %first)
  %second = load i32, ptr %storage
  call void @show(i32 %second)
  call void @llvm.coro.alloca.free(token %token)
  br label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define void @show(i32 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define i32 @main() {
  %a = call ptr @f(i64 8)
  call void @llvm.coro.resume(ptr %a)
  call void @f.release(ptr null)
  call void @f.drop(ptr null, ptr null)
  ret i32 0
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i32 @llvm.coro.size.i32()
declare i8 @llvm.coro.suspend(token, i1)
declare token @llvm.coro.alloca.alloc.i64(i64, i32)
declare ptr @llvm.coro.alloca.get(token)
declare void @llvm.coro.alloca.free(token)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.resume(ptr)
declare ptr @malloc(i32)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
