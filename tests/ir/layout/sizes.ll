; Allocas of scalable or very large types are valid if they are not live across a suspend; otherwise they are rejected
; with a reason.
; RUN: split-file %s %t
; RUN: pycoro explain %t/unused.ll
; RUN: pycoro opt %t/unused.ll -S -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s
; RUN: not pycoro opt %t/kept.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=KEPT
; RUN: not pycoro opt %t/spilled.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=SPILLED
; RUN: not pycoro opt %t/huge.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=HUGE
; UNSUPPORTED: reference

; CHECK-LABEL: define ptr @f(
; CHECK: getelementptr [2 x <vscale x 4 x i32>], ptr %
; CHECK-LABEL: define internal fastcc void @f.resume(
; KEPT: of a type of unknown size
; KEPT: %a = alloca [2 x target("aarch64.svcount")]
; SPILLED: a value of unknown size
; SPILLED: %v = load { <vscale x 4 x i32>, <vscale x 4 x i32> }
; HUGE: the frame is larger than the address space

;--- unused.ll
define ptr @f(i32 %n) presplitcoroutine {
entry:
  %pair = alloca { <vscale x 4 x i32>, <vscale x 4 x i32> }
  %array = alloca [2 x <vscale x 4 x i32>]
  %count = alloca target("aarch64.svcount")
  %tuple = alloca target("riscv.vector.tuple", <vscale x 8 x i8>, 2)
  %large = alloca [4611686018427387904 x i64]
  %buffer = alloca [64 x i64]
  %second = getelementptr [2 x <vscale x 4 x i32>], ptr %buffer, i32 0, i32 1
  store <vscale x 4 x i32> zeroinitializer, ptr %second
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %memory = call ptr @malloc(i64 64)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %out
  ]
resumed:
  call void @use(ptr %second)
  br label %out
out:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @use(ptr)
;--- kept.ll
define ptr @f(i32 %n) presplitcoroutine {
entry:
  %a = alloca [2 x target("aarch64.svcount")]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %memory = call ptr @malloc(i64 64)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %resumed = icmp eq i8 %s, 0
  br i1 %resumed, label %again, label %out
again:
  call void @use(ptr %a)
  %s.2 = call i8 @llvm.coro.suspend(token none, i1 false)
  call void @use(ptr %a)
  br label %out
out:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @use(ptr)
;--- spilled.ll
define ptr @f(ptr %from) presplitcoroutine {
entry:
  %v = load { <vscale x 4 x i32>, <vscale x 4 x i32> }, ptr %from
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %memory = call ptr @malloc(i64 64)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %resumed = icmp eq i8 %s, 0
  br i1 %resumed, label %again, label %out
again:
  store { <vscale x 4 x i32>, <vscale x 4 x i32> } %v, ptr %from
  br label %out
out:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
;--- huge.ll
define ptr @f(ptr %from) presplitcoroutine {
entry:
  %a = alloca [2305843009213693952 x i64]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %memory = call ptr @malloc(i64 64)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @use(ptr %a)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %resumed = icmp eq i8 %s, 0
  br i1 %resumed, label %again, label %out
again:
  call void @use(ptr %a)
  br label %out
out:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @use(ptr)
