; Coroutines that coro-early cannot lower are rejected with rule and location, one module each.
; UNSUPPORTED: reference
; RUN: split-file %s %t
; RUN: not pycoro opt -S -passes=coro-early %t/unmarked.ll -o - 2>&1 | FileCheck %s --check-prefix=UNMARKED
; RUN: not pycoro opt -S -passes=coro-early %t/align.ll -o - 2>&1 | FileCheck %s --check-prefix=ALIGN
; RUN: not pycoro opt -S -passes=coro-early %t/odd.ll -o - 2>&1 | FileCheck %s --check-prefix=ODD

; RUN: not pycoro opt -S -passes=coro-early %t/musttail.ll -o - 2>&1 | FileCheck %s --check-prefix=MUSTTAIL

; MUSTTAIL-NOT: define
; MUSTTAIL: the clones of a coroutine have calling convention fastcc
; MUSTTAIL: @f
; MUSTTAIL: musttail call void @llvm.coro.destroy(ptr %h)
; UNMARKED-NOT: define
; UNMARKED: lacks the attribute presplitcoroutine
; UNMARKED: @f
; UNMARKED: %entry
; UNMARKED: %id = call token @llvm.coro.id
; ALIGN-NOT: define
; ALIGN: not a constant
; ALIGN: call ptr @llvm.coro.promise(ptr %h, i32 %align, i1 false)
; ODD-NOT: define
; ODD: not a power of two

;--- unmarked.ll
define ptr @f() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  ret ptr %hdl
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
;--- musttail.ll
define void @f(ptr %h) {
  musttail call void @llvm.coro.destroy(ptr %h)
  ret void
}
declare void @llvm.coro.destroy(ptr)
;--- align.ll
define ptr @f(ptr %h, i32 %align) {
  %p = call ptr @llvm.coro.promise(ptr %h, i32 %align, i1 false)
  ret ptr %p
}
declare ptr @llvm.coro.promise(ptr, i32, i1)
;--- odd.ll
define ptr @f(ptr %h) {
  %p = call ptr @llvm.coro.promise(ptr %h, i32 12, i1 false)
  ret ptr %p
}
declare ptr @llvm.coro.promise(ptr, i32, i1)
