; With globals in a separate address space, the list of clones is cast to another address space: a split coroutine is
; neither split again nor rejected.
; RUN: pycoro opt %s -S -verify-each -passes='default<O1>' | FileCheck %s
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split)' | FileCheck %s --check-prefix=SPLIT
; UNSUPPORTED: reference

; SPLIT: addrspacecast (ptr addrspace(1) @f.resumers to ptr)
; CHECK-LABEL: define {{.*}}ptr @f()
; CHECK-LABEL: define internal fastcc void @f.resume(
target datalayout = "G1"

define ptr @f() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
