; A module with a target but no layout gets the target's, as in opt: lowered code must agree with llc's assumptions.
; RUN: pycoro opt -S -passes=coro-early %s -o - | FileCheck %s

; CHECK: target datalayout = "e-m:e-p:32:32-
; CHECK: getelementptr inbounds i8, ptr %p, i32 8
target triple = "i686-unknown-linux-gnu"

define ptr @f(ptr %p) {
  %h = call ptr @llvm.coro.promise(ptr %p, i32 4, i1 false)
  ret ptr %h
}
declare ptr @llvm.coro.promise(ptr, i32, i1)
