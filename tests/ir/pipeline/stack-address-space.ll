; pycoro's allocas are in the address space of the data layout. A layout that makes allocas invalid on the module's
; target is rejected before any change.
; UNSUPPORTED: reference
; RUN: split-file %s %t
; RUN: cat %t/amdgcn.ll %t/coroutine.ll | not pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -S 2>&1 | FileCheck %s
; RUN: cat %t/fits.ll %t/coroutine.ll | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -S | FileCheck %s --check-prefix=FITS
; RUN: pycoro opt %t/amdgcn.ll -passes='coro-early,cgscc(coro-split),coro-cleanup' -S | FileCheck %s --check-prefix=NONE

; CHECK: error: {{.*}}the data layout puts allocas in an address space that amdgcn-amd-amdhsa does not support: alloca on amdgpu must be in addrspace(5)
; CHECK: help: use the data layout of the module's target, as clang does
; FITS: define ptr @f(
; NONE: target triple

;--- amdgcn.ll
target datalayout = "e-p:64:64"
target triple = "amdgcn-amd-amdhsa"

;--- fits.ll
target datalayout = "e-p:64:64-p5:32:32-A5"
target triple = "amdgcn-amd-amdhsa"

;--- coroutine.ll
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare void @use(i32)

define ptr @f(ptr %memory, i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %suspend = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %suspend, label %out [i8 0, label %on
                                  i8 1, label %out]
on:
  call void @use(i32 %n)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
