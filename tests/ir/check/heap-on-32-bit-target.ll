; Blocks on the heap for allocas, where sizes have 32 bits as pointers have: of a number with fewer bits, and with more.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: the lowering is not checked
; CHECK-LABEL: define ptr @f(
; CHECK: call ptr @malloc(i32 {{.*}})
target datalayout = "e-m:e-p:32:32-i64:64-n32-S64"

define ptr @f(i16 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %many = alloca i32, i16 %n
  call void @init(ptr %many)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %cleanup ]
resumed:
  call void @init(ptr %many)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

; CHECK-LABEL: define ptr @dropped(
; CHECK: call ptr @malloc(i32 {{.*}})
; CHECK-LABEL: define internal fastcc void @dropped.resume(
; CHECK: call void @dropped.drop(
define ptr @dropped(i64 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %token = call token @llvm.coro.alloca.alloc.i64(i64 %n, i32 4)
  %many = call ptr @llvm.coro.alloca.get(token %token)
  call void @init(ptr %many)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %cleanup ]
resumed:
  call void @init(ptr %many)
  call void @llvm.coro.alloca.free(token %token)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare void @init(ptr)
declare token @llvm.coro.alloca.alloc.i64(i64, i32)
declare ptr @llvm.coro.alloca.get(token)
declare void @llvm.coro.alloca.free(token)
declare ptr @malloc(i32)
declare void @free(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i32 @llvm.coro.size.i32()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
