; Intrinsics that no earlier pass lowered are errors that name the missing pass.
; UNSUPPORTED: reference
; RUN: split-file %s %t
; RUN: not pycoro opt -S -passes=coro-cleanup %t/early.ll -o - 2>&1 | FileCheck %s --check-prefix=EARLY
; RUN: not pycoro opt -S -passes=coro-early,coro-cleanup %t/split.ll -o - 2>&1 | FileCheck %s --check-prefix=SPLIT
; RUN: not pycoro opt -S -passes=coro-early,coro-split,coro-cleanup %t/outside.ll -o - 2>&1 | FileCheck %s --check-prefix=OUT

; EARLY: call void @llvm.coro.resume(ptr %hdl)
; EARLY: run coro-early before coro-cleanup; thinlto<..> requires the output of thinlto-pre-link<..>
; SPLIT: @f
; SPLIT: run coro-split before coro-cleanup
; OUT: @g
; OUT: call i64 @llvm.coro.size.i64()

;--- early.ll
define void @f(ptr %hdl) {
  call void @llvm.coro.resume(ptr %hdl)
  ret void
}
declare void @llvm.coro.resume(ptr)
;--- split.ll
define ptr @f() presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  ret ptr %hdl
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
;--- outside.ll
define i64 @g() {
  %size = call i64 @llvm.coro.size.i64()
  ret i64 %size
}
declare i64 @llvm.coro.size.i64()
