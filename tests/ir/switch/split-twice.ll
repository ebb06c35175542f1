; A split coroutine without frame and suspends is an ordinary function in a second run of coro-split.
; RUN: pycoro opt %s -passes='cgscc(coro-split),cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; UNSUPPORTED: reference

; CHECK-LABEL: define void @left()
; CHECK-NOT: llvm.coro
define void @left() presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  ret void
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
