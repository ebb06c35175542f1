; If a stackrestore frees an alloca before the next iteration, one slot suffices. If the stacksave is in a later
; iteration, the memory is still live.
; RUN: pycoro opt %s -S -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s
; UNSUPPORTED: reference

; CHECK-LABEL: define {{.*}}@f(
; CHECK: call ptr @malloc(
; CHECK-NOT: call ptr @malloc(
; CHECK-LABEL: define {{.*}}@marked_anew(
; CHECK: call ptr @malloc(
; CHECK: call ptr @malloc(
; CHECK-LABEL: define {{.*}}@f.resume(
; CHECK-NOT: call ptr @malloc(
; CHECK-LABEL: define {{.*}}@f.destroy(

target triple = "x86_64-unknown-linux-gnu"
declare ptr @malloc(i64)
declare void @free(ptr)
@kept = global ptr null
define void @use(ptr %p, i32 %i) noinline {
  store volatile ptr %p, ptr @kept
  %v = load i32, ptr %p
  %w = add i32 %v, %i
  store i32 %w, ptr %p
  ret void
}
define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %m = call ptr @malloc(i64 %size)
  %h = call ptr @llvm.coro.begin(token %id, ptr %m)
  br label %l
l:
  %i = phi i32 [0,%entry],[%j,%r]
  %sp = call ptr @llvm.stacksave.p0()
  %a = alloca [100 x i32]
  store i32 %i, ptr %a
  call void @use(ptr %a, i32 1)
  call void @llvm.stackrestore.p0(ptr %sp)
  %q = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %q, label %ret [i8 0, label %r i8 1, label %d]
r:
  %j = add i32 %i, 1
  br label %l
d:
  %fm = call ptr @llvm.coro.free(token %id, ptr %h)
  call void @free(ptr %fm)
  br label %ret
ret:
  call void @llvm.coro.end(ptr %h, i1 false, token none)
  ret ptr %h
}
define ptr @marked_anew(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %m = call ptr @malloc(i64 %size)
  %h = call ptr @llvm.coro.begin(token %id, ptr %m)
  br label %l
l:
  %i = phi i32 [0,%entry],[%j,%r]
  %sp = call ptr @llvm.stacksave.p0()
  %is = icmp slt i32 %i, 2
  br i1 %is, label %made, label %back
back:
  call void @llvm.stackrestore.p0(ptr %sp)
  br label %r
made:
  %a = alloca [100 x i32]
  store i32 %i, ptr %a
  call void @use(ptr %a, i32 1)
  %q = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %q, label %ret [i8 0, label %r i8 1, label %d]
r:
  %j = add i32 %i, 1
  br label %l
d:
  %fm = call ptr @llvm.coro.free(token %id, ptr %h)
  call void @free(ptr %fm)
  br label %ret
ret:
  call void @llvm.coro.end(ptr %h, i1 false, token none)
  ret ptr %h
}
