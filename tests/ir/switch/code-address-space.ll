; With code in a separate address space (AVR), a coroutine's address is in it: intrinsics take it as a plain pointer,
; and frame slots hold it.
; RUN: pycoro opt %s -S -verify-each -passes=coro-early | FileCheck %s --check-prefix=EARLY
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split),coro-early,function(coro-elide),coro-cleanup' | FileCheck %s
; UNSUPPORTED: reference
target datalayout = "e-P1-p:16:8-i8:8-i16:8-i32:8-i64:8-f32:8-f64:8-n8-a:8"
target triple = "avr"

; EARLY: call addrspace(1) token @llvm.coro.id(i32 0, ptr null, ptr addrspacecast (ptr addrspace(1) @f to ptr), ptr null)
; CHECK-LABEL: define ptr @f(
; CHECK: call addrspace(1) ptr @malloc(i16 8)
; CHECK: store ptr addrspace(1) @f.resume, ptr %mem
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: call addrspace(1) void @print(i32
define ptr @f(i32 %n) addrspace(1) presplitcoroutine {
entry:
  %id = call addrspace(1) token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call addrspace(1) i16 @llvm.coro.size.i16()
  %mem = call addrspace(1) ptr @malloc(i16 %size)
  %hdl = call addrspace(1) ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call addrspace(1) i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]
resumed:
  call addrspace(1) void @print(i32 %n)
  br label %destroyed
destroyed:
  %old = call addrspace(1) ptr @llvm.coro.free(token %id, ptr %hdl)
  call addrspace(1) void @free(ptr %old)
  br label %out
out:
  call addrspace(1) void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr) addrspace(1)
declare i16 @llvm.coro.size.i16() addrspace(1)
declare ptr @llvm.coro.begin(token, ptr) addrspace(1)
declare i8 @llvm.coro.suspend(token, i1) addrspace(1)
declare ptr @llvm.coro.free(token, ptr) addrspace(1)
declare void @llvm.coro.end(ptr, i1, token) addrspace(1)
declare ptr @malloc(i16) addrspace(1)
declare void @free(ptr) addrspace(1)
declare void @print(i32) addrspace(1)
