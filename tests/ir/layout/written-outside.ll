; Writes between a suspend and the return to the caller happen before the resume: they do not overlap values that are
; read after the suspend.
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup' | FileCheck %s
; UNSUPPORTED: reference

; CHECK-LABEL: define ptr @f(
; CHECK: %[[A:.*]] = getelementptr inbounds i8, ptr %m, i64 16
; CHECK: %[[B:.*]] = getelementptr inbounds i8, ptr %m, i64 20
; CHECK: store i32 5, ptr %[[A]]
; CHECK: store i32 9, ptr %[[B]]
define ptr @f() presplitcoroutine {
entry:
  %a = alloca i32
  %b = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %sz = call i64 @llvm.coro.size.i64()
  %m = call ptr @malloc(i64 %sz)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %m)
  store i32 5, ptr %a
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s0, label %susp [i8 0, label %r0
                              i8 1, label %clean]
r0:
  %x = load i32, ptr %a
  call void @print(i32 %x)
  store i32 7, ptr %b
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %susp2 [i8 0, label %r1
                              i8 1, label %clean]
r1:
  %y = load i32, ptr %b
  call void @print(i32 %y)
  br label %clean
clean:
  %mem = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %mem)
  br label %susp2
susp:
  store i32 9, ptr %b
  %z = load i32, ptr %b
  call void @print(i32 %z)
  br label %susp2
susp2:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
