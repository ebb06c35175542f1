; coro-cond(...) runs its passes if the module had a coroutine intrinsic at its start.
; RUN: split-file %s %t
; RUN: pycoro opt -S -passes='coro-cond(coro-early,coro-split,coro-cleanup,globaldce)' %t/with.ll -o - | FileCheck %s --check-prefix=WITH
; RUN: pycoro opt -S -passes='coro-cond(coro-early,coro-split,coro-cleanup,globaldce)' %t/without.ll -o - | FileCheck %s --check-prefix=WITHOUT

; WITH-NOT: @unused
; WITH: load ptr, ptr %hdl
; WITHOUT: @unused

;--- with.ll
define internal void @unused() {
  ret void
}
define i1 @f(ptr %hdl) {
  %done = call i1 @llvm.coro.done(ptr %hdl)
  ret i1 %done
}
declare i1 @llvm.coro.done(ptr)
;--- without.ll
define internal void @unused() {
  ret void
}
