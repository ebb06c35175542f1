; LLVM's globaldce aborts if it removes a function with a `no_cfi` constant: such a function stays, while the user of
; the constant is removed.
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
