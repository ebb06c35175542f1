; A module without coroutine intrinsics after coro-early passes through the levels like any other.
; RUN: pycoro opt -S -O1 %s -o - | FileCheck %s
; RUN: pycoro opt -S -O2 %s -o - | FileCheck %s
; RUN: pycoro opt -S -passes='lto-pre-link<O3>' %s -o - | FileCheck %s

; CHECK-LABEL: define{{.*}} ptr @idle()
; CHECK-NEXT: ret ptr @NoopCoro.Frame.Const
define ptr @idle() {
  %handle = call ptr @llvm.coro.noop()
  ret ptr %handle
}

; CHECK-LABEL: define{{.*}} i1 @over(
; CHECK-NOT: llvm.coro.done
; CHECK: ret i1
define i1 @over(ptr %handle) {
  %done = call i1 @llvm.coro.done(ptr %handle)
  ret i1 %done
}

declare ptr @llvm.coro.noop()
declare i1 @llvm.coro.done(ptr)
