; Module flags for function attributes may have any value: a value that is no number has no effect.
; RUN: pycoro opt %s -S -verify-each -passes=coro-early | FileCheck %s
; UNSUPPORTED: reference

; CHECK: define internal fastcc void @__NoopCoro_ResumeDestroy(ptr %0) #[[A:[0-9]+]] {
; CHECK: attributes #[[A]] = { uwtable }
define ptr @f() {
  %handle = call ptr @llvm.coro.noop()
  ret ptr %handle
}

declare ptr @llvm.coro.noop()

!llvm.module.flags = !{!0, !1, !2, !3, !4}
!0 = !{i32 7, !"uwtable", i32 2}
!1 = !{i32 7, !"frame-pointer", i32 99}
!2 = !{i32 2, !"branch-target-enforcement", !"yes"}
!3 = !{i32 2, !"sign-return-address", !{}}
!4 = !{i32 2, !"guarded-control-stack", !{!"a", !"b"}}
