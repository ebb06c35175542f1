; All noop coroutines of a module share one constant frame; their function has the attributes that module flags require.
; RUN: pycoro opt -S -passes=coro-early %s -o - | FileCheck %s
; RUN: pycoro opt -S -passes=coro-early %s -o - | llc-22 -filetype=null

; CHECK: %NoopCoro.Frame = type { ptr, ptr }
; CHECK: @NoopCoro.Frame.Const = private constant %NoopCoro.Frame { ptr @__NoopCoro_ResumeDestroy, ptr @__NoopCoro_ResumeDestroy }
; CHECK-NOT: @NoopCoro.Frame.Const.

; CHECK-LABEL: define ptr @one()
; CHECK-NEXT: ret ptr @NoopCoro.Frame.Const
define ptr @one() {
  %n = call ptr @llvm.coro.noop()
  ret ptr %n
}

; CHECK-LABEL: define ptr @two()
; CHECK-NEXT: ret ptr @NoopCoro.Frame.Const
define ptr @two() {
  %n = call ptr @llvm.coro.noop()
  ret ptr %n
}

; CHECK: define internal fastcc void @__NoopCoro_ResumeDestroy(ptr %0) #[[#ATTRIBUTES:]] {
; CHECK-NEXT: entry:
; CHECK-NEXT: ret void
; CHECK: attributes #[[#ATTRIBUTES]] = { uwtable "frame-pointer"="all" }

declare ptr @llvm.coro.noop()

!llvm.module.flags = !{!0, !1}
!0 = !{i32 7, !"uwtable", i32 2}
!1 = !{i32 7, !"frame-pointer", i32 2}
