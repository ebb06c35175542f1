; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %s | FileCheck %s
; Memory of an inalloca or preallocated parameter is on the caller's stack, as with byval, and dead after the ramp
; returns: what is live across a suspend is copied into the frame.

target datalayout = "e-m:x-p:32:32-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:32-n8:16:32-a:0:32-S32"
target triple = "i686-pc-windows-msvc"

; CHECK-LABEL: define ptr @in_alloca(
; CHECK: [[F:%.*]] = getelementptr inbounds i8, ptr %mem, i64 8
; CHECK: memcpy{{.*}}(ptr align 1 [[F]], ptr align 1 %args, i64 8,
; CHECK-LABEL: define ptr @allocated_before(
; CHECK: [[F:%.*]] = getelementptr inbounds i8, ptr %mem, i64 8
; CHECK: memcpy{{.*}}(ptr align 8 [[F]], ptr align 8 %args, i64 8,
; CHECK-LABEL: define internal fastcc void @in_alloca.resume(
; CHECK: [[F:%.*]] = getelementptr inbounds i8, ptr %hdl, i64 8
; CHECK: load i32, ptr [[F]]
; CHECK-LABEL: define internal fastcc void @allocated_before.resume(
; CHECK: [[F:%.*]] = getelementptr inbounds i8, ptr %hdl, i64 8
; CHECK: load i32, ptr [[F]]

define ptr @in_alloca(ptr inalloca(<{ i32, i32 }>) %args) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %mem = call ptr @malloc(i32 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %go
                             i8 1, label %clean ]
go:
  %v = load i32, ptr %args
  call void @print(i32 %v)
  br label %clean
clean:
  %m = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %m)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define ptr @allocated_before(ptr preallocated(i64) %args) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %mem = call ptr @malloc(i32 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %go
                             i8 1, label %clean ]
go:
  %v = load i32, ptr %args
  call void @print(i32 %v)
  br label %clean
clean:
  %m = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %m)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i32 @llvm.coro.size.i32()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i32)
declare void @free(ptr)
declare void @print(i32)
