; The checker proves the lowering of a coroutine with a spilled value, a rematerialized one, a loop and a variable in the
; frame, and prints nothing.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup' 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: warning
; CHECK-LABEL: define ptr @f(
; CHECK-LABEL: define internal fastcc void @f.resume(
define ptr @f(i32 %n) presplitcoroutine {
entry:
  %sum = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %twice = add i32 %n, %n
  call void @init(ptr %sum)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %resumed ]
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %cleanup ]
resumed:
  call void @show(i32 %i, i32 %twice)
  call void @show(i32 %n, i32 %n)
  call void @init(ptr %sum)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare void @init(ptr)
declare void @show(i32, i32)
declare ptr @malloc(i64)
declare void @free(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
