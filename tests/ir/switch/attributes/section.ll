; The clones have the ramp's section and alignment.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split)' -S | FileCheck %s

; CHECK: define ptr @f(ptr %memory, i32 %n) section "hot.text" align 64 {
; CHECK: define internal fastcc void @f.resume(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) section "hot.text" align 64 {
; CHECK: define internal fastcc void @f.destroy(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) section "hot.text" align 64 {
; CHECK: define internal fastcc void @f.cleanup(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) section "hot.text" align 64 {

define ptr @f(ptr %memory, i32 %n) presplitcoroutine section "hot.text" align 64 {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %cleanup
    i8 1, label %cleanup
  ]

cleanup:
  call void @use(i32 %n)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare void @use(i32)

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
