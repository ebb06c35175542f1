; One call is the last access to %a and the first to %b: the callee may write %b before it reads %a, so both are live
; during the call, and have different places in the frame.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup' 2>&1 | FileCheck %s

; CHECK-NOT: warning
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: %[[B:.*]] = getelementptr inbounds i8, ptr %h, i64 24
; CHECK: %[[A:.*]] = getelementptr inbounds i8, ptr %h, i64 16
; CHECK: call void @g(ptr captures(none) %[[B]], ptr captures(none) %[[A]])

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @print(i64)

define void @g(ptr %to, ptr %from) noinline {
  store i64 1, ptr %to
  %v = load i64, ptr %from
  call void @print(i64 %v)
  ret void
}

define ptr @f(i64 %n) presplitcoroutine {
entry:
  %a = alloca i64
  %b = alloca i64
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %h = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store i64 %n, ptr %a
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [i8 0, label %r
                            i8 1, label %d]
r:
  call void @g(ptr captures(none) %b, ptr captures(none) %a)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [i8 0, label %r2
                            i8 1, label %d]
r2:
  %v = load i64, ptr %b
  call void @print(i64 %v)
  br label %d
d:
  %f = call ptr @llvm.coro.free(token %id, ptr %h)
  call void @free(ptr %f)
  br label %out
out:
  call void @llvm.coro.end(ptr %h, i1 false, token none)
  ret ptr %h
}
