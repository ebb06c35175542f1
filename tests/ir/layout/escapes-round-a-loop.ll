; A lifetime that restarts without an end keeps earlier writes through an escaped address: %a shares no byte with %x,
; which is read after the suspend.
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup' | FileCheck %s
; UNSUPPORTED: reference

; CHECK-LABEL: define ptr @f(
; CHECK: %[[X:.*]] = getelementptr inbounds i8, ptr %m, i64 20
; CHECK: store i32 %x, ptr %[[X]]
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: %a.reload.addr = getelementptr inbounds i8, ptr %handle, i64 16
; CHECK: %[[A:.*]] = getelementptr inbounds i8, ptr %handle, i64 16
; CHECK: call void @give(ptr %[[A]])
define ptr @f() presplitcoroutine {
entry:
  %a = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %sz = call i64 @llvm.coro.size.i64()
  %m = call ptr @malloc(i64 %sz)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %m)
  br label %loop
loop:
  call void @llvm.lifetime.start.p0(ptr %a)
  %x = call i32 @get()
  call void @poke()
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s0, label %susp [i8 0, label %r0
                              i8 1, label %clean]
r0:
  call void @print(i32 %x)
  %f = icmp eq i32 %x, 41
 br i1 %f, label %r2, label %r1
r1:
  %v = load i32, ptr %a
  call void @print(i32 %v)
 br label %r2
r2:
  call void @give(ptr %a)
  br label %loop
clean:
  %mem = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %mem)
  br label %susp
susp:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare void @print(i32)
declare void @give(ptr)
declare void @poke()
declare i32 @get()
declare ptr @malloc(i64)
declare void @free(ptr)
