; LLVM's maximum alignment is 4294967296, which its C API returns as 0. An alloca keeps it; one in the frame is aligned
; at run time; a promise cannot have it, as llvm.coro.promise takes an i32.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S | FileCheck %s
; RUN: sed 's/i32 0, ptr null/i32 0, ptr %kept/' %s | not pycoro opt -passes='coro-early,cgscc(coro-split)' -disable-output 2>&1 | FileCheck %s --check-prefix=PROMISE

; CHECK-LABEL: define ptr @f(
; CHECK: %local = alloca i8, align 4294967296
; CHECK: call ptr @allocate(i64 {{429496[0-9]+}}, i64 8)
; CHECK: call ptr @llvm.ptrmask.p0.i64(ptr %{{.*}}, i64 -4294967296)
; CHECK-LABEL: define ptr @asks(
; CHECK: call ptr @allocate(i64 {{644245[0-9]+}}, i64 2147483648)
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK-NOT: alloca
; CHECK: call ptr @llvm.ptrmask.p0.i64(ptr %{{.*}}, i64 -4294967296)

; PROMISE: error: the promise has a larger alignment than llvm.coro.promise can express

define ptr @f() presplitcoroutine {
entry:
  %local = alloca i8, align 4294967296
  %kept = alloca i64, align 4294967296
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @allocate(i64 %size, i64 8)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @use(ptr nocapture %local)
  call void @use(ptr %kept)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %gone = icmp slt i8 %s, 0
  br i1 %gone, label %suspend, label %more

more:
  call void @use(ptr %kept)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @asks() presplitcoroutine {
entry:
  %kept = alloca i64, align 4294967296
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %align = call i64 @llvm.coro.align.i64()
  %memory = call ptr @allocate(i64 %size, i64 %align)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @use(ptr %kept)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %gone = icmp slt i8 %s, 0
  br i1 %gone, label %suspend, label %more

more:
  call void @use(ptr %kept)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare void @use(ptr)
declare ptr @allocate(i64, i64)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.size.i64()
declare i64 @llvm.coro.align.i64()
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
