; With globals in a separate address space (AMDGPU, SPIR-V), the lowering's globals are in it; intrinsics take plain
; pointers. The printed text parses.
; RUN: pycoro opt %s -S -verify-each -o %t -passes='coro-early,cgscc(coro-split)'
; RUN: FileCheck %s --check-prefix=SPLIT < %t
; RUN: pycoro opt %t -S -verify-each -passes='cgscc(inline),function(coro-elide),coro-cleanup' | FileCheck %s
; UNSUPPORTED: reference
target datalayout = "e-p1:64:64-i64:64-G1"

; SPLIT-DAG: @f.resumers = private addrspace(1) constant [3 x ptr]
; SPLIT-DAG: @NoopCoro.Frame.Const = private addrspace(1) constant
; SPLIT: call token @llvm.coro.id(i32 0, ptr null, ptr @f, ptr addrspacecast (ptr addrspace(1) @f.resumers to ptr))
; SPLIT: ret ptr addrspacecast (ptr addrspace(1) @NoopCoro.Frame.Const to ptr)

; CHECK-LABEL: define void @once(
; CHECK: alloca [24 x i8]
; CHECK-NOT: @malloc
; CHECK: call fastcc void @f.resume(ptr
; CHECK: call fastcc void @f.cleanup(ptr
; CHECK: ret void
define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %got = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %memory = phi ptr [ null, %entry ], [ %got, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]
resumed:
  call void @print(i32 %n)
  br label %destroyed
destroyed:
  %old = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %old)
  br label %out
out:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}

define ptr @nobody() {
  %handle = call ptr @llvm.coro.noop()
  ret ptr %handle
}

define void @once() {
  %handle = call ptr @f(i32 7)
  call void @llvm.coro.resume(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.noop()
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @print(i32)
