; An address that escaped in one lifetime may be used in the next, after a suspend, even without other uses there.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S | FileCheck %s

; CHECK-LABEL: define {{.*}}@f(
; CHECK-NOT: alloca
; CHECK: store ptr %a{{.*}}, ptr @known
; CHECK-LABEL: define {{.*}}@f.resume(
; CHECK-NOT: alloca
; CHECK: call void @use()

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@known = global ptr null

define internal ptr @f() presplitcoroutine {
entry:
  %a = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @llvm.lifetime.start.p0(ptr %a)
  store ptr %a, ptr @known
  call void @use()
  call void @llvm.lifetime.end.p0(ptr %a)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  call void @llvm.lifetime.start.p0(ptr %a)
  call void @use()
  call void @llvm.lifetime.end.p0(ptr %a)
  br label %cleanup
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %old)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define i32 @main() {
  %h = call ptr @f()
  call void @llvm.coro.resume(ptr %h)
  ret i32 0
}
define internal void @use() noinline optnone {
  %address = load ptr, ptr @known
  store i32 5, ptr %address
  ret void
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
