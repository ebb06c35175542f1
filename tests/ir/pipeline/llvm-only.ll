; A pass string without pycoro's passes, with an alias of LLVM's, on a module without coroutines.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='default<O2>' %s -o - | FileCheck %s
; RUN: pycoro opt -S -passes=instcombine,globaldce %s -o - | FileCheck %s
; RUN: pycoro opt -S -passes= %s -o - | FileCheck %s --check-prefix=SAME

; CHECK-NOT: @unused
; CHECK-LABEL: define {{.*}}i32 @f(
; CHECK: ret i32 7
; SAME: @unused
; SAME: add i32 3, 4
define internal void @unused() {
  ret void
}
define i32 @f() {
  %a = add i32 3, 4
  ret i32 %a
}
