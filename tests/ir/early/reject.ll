; Coroutines that coro-early cannot lower are rejected with rule and location, one module each.
; UNSUPPORTED: reference
; RUN: split-file %s %t
; RUN: not pycoro opt -S -passes=coro-early %t/align.ll -o - 2>&1 | FileCheck %s --check-prefix=ALIGN
; RUN: not pycoro opt -S -passes=coro-early %t/odd.ll -o - 2>&1 | FileCheck %s --check-prefix=ODD

; RUN: not pycoro opt -S -passes=coro-early %t/musttail.ll -o - 2>&1 | FileCheck %s --check-prefix=MUSTTAIL

; MUSTTAIL-NOT: define
; MUSTTAIL: the clones of a coroutine have calling convention fastcc
; MUSTTAIL: @f
; MUSTTAIL: musttail call void @llvm.coro.destroy(ptr %h)
; ALIGN-NOT: define
; ALIGN: not a constant
; ALIGN: call ptr @llvm.coro.promise(ptr %h, i32 %align, i1 false)
; ODD-NOT: define
; ODD: not a power of two

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
