; The continuation is a code pointer: on a target with a code address space, a plain pointer as the first result is
; rejected.
; UNSUPPORTED: reference
; RUN: split-file %s %t
; RUN: cat %t/avr.ll %t/plain.ll | not pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -S 2>&1 | FileCheck %s
; RUN: pycoro opt %t/plain.ll -passes='coro-early,cgscc(coro-split),coro-cleanup' -S | FileCheck %s --check-prefix=PLAIN

; CHECK: error: the address space of the coroutine's first result is not that of its code
; CHECK: help: return the continuation as a pointer of the data layout's program address space
; PLAIN: ret ptr @f.resume.0

;--- avr.ll
target triple = "avr"

;--- plain.ll
declare ptr @llvm.coro.begin(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare ptr @allocate(i32)
declare void @free(ptr)
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @prototype(ptr, i1)
define ptr @f(ptr %buffer) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @free)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %stop = call i1 (...) @llvm.coro.suspend.retcon.i1()
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}
