; LLVM's globaldce ends the process on a function that goes while a `no_cfi` constant of it is left: such a function
; stays, and what holds it meanwhile does not.
; RUN: pycoro opt -S -passes=globaldce %s -o - | FileCheck %s
; RUN: pycoro opt -S -passes='internalize,globaldce' %s -o - | FileCheck %s
; RUN: pycoro opt -S -O2 %s -o - | FileCheck %s

; CHECK-NOT: pycoro.held
; CHECK: declare void @use(ptr
; CHECK-NOT: @forgotten
; CHECK: define internal {{.*}}void @own()
; CHECK-NOT: pycoro.held
declare void @use(ptr)

define internal void @own() {
  ret void
}

define internal void @forgotten() {
  call void @use(ptr no_cfi @own)
  call void no_cfi @use(ptr null)
  ret void
}
