; LLVM's clone of a module and its globaldce miss that the declaration names @data: they would print freed memory.
; RUN: not pycoro opt %s -S -passes=coro-cleanup 2>&1 | FileCheck %s
; RUN: llvm-as-22 %s -o %t.bc
; RUN: not pycoro opt %t.bc -S -passes=globaldce 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: declare
; CHECK: a declaration has prefix or prologue data
; CHECK: @allocate

@data = private constant [2 x i8] c"x\00"

declare ptr @allocate(i32) prefix ptr @data

define ptr @f() {
  %a = call ptr @allocate(i32 1)
  ret ptr %a
}
