; The clones have the ramp's entry count; branch weights stay with the branches.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split)' -S | FileCheck %s

; CHECK: define ptr @f(ptr %memory, i32 %n) !prof ![[COUNT:[0-9]+]] {
; CHECK: define internal fastcc void @f.resume({{.*}} %handle) !prof ![[COUNT]] {
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %{{.*}}, !prof ![[WEIGHTS:[0-9]+]]
; CHECK: define internal fastcc void @f.destroy({{.*}} %handle) !prof ![[COUNT]] {
; CHECK: define internal fastcc void @f.cleanup({{.*}} %handle) !prof ![[COUNT]] {
; CHECK: ![[COUNT]] = !{!"function_entry_count", i64 1000}
; CHECK: ![[WEIGHTS]] = !{!"branch_weights", i32 10, i32 90}

define ptr @f(ptr %memory, i32 %n) presplitcoroutine !prof !0 {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %suspend, label %cleanup, !prof !1

cleanup:
  call void @use(i32 %n)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

!0 = !{!"function_entry_count", i64 1000}
!1 = !{!"branch_weights", i32 10, i32 90}

declare void @use(i32)

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
