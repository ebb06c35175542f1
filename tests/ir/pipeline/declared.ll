; The attribute presplitcoroutine on a declaration has no effect: the definition is split in its module.
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup,default<O2>' %s -o - | FileCheck %s
; RUN: pycoro opt -S -passes='default<O2>' %s -o - | FileCheck %s

; CHECK: declare ptr @elsewhere(i32) local_unnamed_addr #[[ATTRIBUTES:[0-9]+]]
; CHECK: define ptr @caller(
; CHECK: tail call ptr @elsewhere(i32 1)
; CHECK: attributes #[[ATTRIBUTES]] = { presplitcoroutine }
declare ptr @elsewhere(i32) presplitcoroutine

define ptr @caller() {
  %handle = call ptr @elsewhere(i32 1)
  ret ptr %handle
}
