; A coroutine without a suspend has no frame, so its buffer may have size 0; the code still writes to the caller's memory
; through the handle. With a suspend a buffer must hold at least the address of a frame.
; UNSUPPORTED: reference
; RUN: split-file %s %t
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %t/none.ll | FileCheck %s
; RUN: pycoro opt -S -passes='default<O2>' %t/none.ll | FileCheck %s --check-prefix=O2
; RUN: not pycoro opt -S -passes='coro-early,cgscc(coro-split)' %t/suspends.ll -o - 2>&1 | FileCheck %s --check-prefix=REJECTED

; CHECK: define ptr @f(
; CHECK-NOT: @allocate
; CHECK: %[[AT:.*]] = getelementptr inbounds i32, ptr %buffer, i64 1
; CHECK-NEXT: store i32 42, ptr %[[AT]]
; CHECK-NOT: @deallocate
; CHECK: ret ptr null

; O2: define {{.*}}ptr @f(
; O2: store i32 42
; O2: ret ptr null

; REJECTED: the buffer is smaller than a pointer, so it cannot hold the frame's address
; REJECTED: @f, %entry

;--- none.ll
define ptr @f(ptr dereferenceable(8) %buffer) {
entry:
  %id = call token @llvm.coro.id.retcon(i32 0, i32 1, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %buffer)
  %at = getelementptr inbounds i32, ptr %handle, i64 1
  store i32 42, ptr %at
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}
declare ptr @prototype(ptr, i1)
declare ptr @allocate(i64)
declare void @deallocate(ptr)
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
;--- suspends.ll
define ptr @f(ptr %buffer) {
entry:
  %id = call token @llvm.coro.id.retcon(i32 0, i32 1, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %buffer)
  %unwinds = call i1 (...) @llvm.coro.suspend.retcon.i1()
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}
declare ptr @prototype(ptr, i1)
declare ptr @allocate(i64)
declare void @deallocate(ptr)
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare void @llvm.coro.end(ptr, i1, token)
