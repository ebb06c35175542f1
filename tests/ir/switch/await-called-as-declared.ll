; An await function is called as declared. It cannot have parameters that only a call in the source could provide,
; or a calling convention that permits no calls.
; RUN: sed 's/GIVEN/inreg/' %s > %t.inreg.ll
; RUN: pycoro opt %t.inreg.ll -S -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s
; RUN: sed 's/GIVEN/swifterror/' %s > %t.error.ll
; RUN: not pycoro opt %t.error.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=ERROR
; RUN: sed 's/GIVEN//; s/fastcc/amdgpu_kernel/' %s > %t.kernel.ll
; RUN: not pycoro opt %t.kernel.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=KERNEL
; UNSUPPORTED: reference

; CHECK-LABEL: define ptr @f(
; CHECK: call fastcc void @wait(ptr %a, ptr inreg %
; ERROR-NOT: define
; ERROR: the await's function has a parameter that a generated call cannot pass
; ERROR: @f
; KERNEL: the await's function has a parameter that a generated call cannot pass, or a calling convention that permits no calls
; KERNEL: @f
define ptr @f(ptr %memory, ptr %a) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %save = call token @llvm.coro.save(ptr null)
  call void @llvm.coro.await.suspend.void(ptr %a, ptr %handle, ptr @wait)
  %s = call i8 @llvm.coro.suspend(token %save, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %on
    i8 1, label %suspend
  ]
on:
  call void @use(ptr %a)
  br label %suspend
suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare fastcc void @wait(ptr, ptr GIVEN)
declare void @use(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare token @llvm.coro.save(ptr)
declare void @llvm.coro.await.suspend.void(ptr, ptr, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
