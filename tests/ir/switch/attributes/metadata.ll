; The clones have the function's metadata attachments, also several of one kind, except the type for the function
; sanitizer.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split)' -S | FileCheck %s

; CHECK: define ptr @f(ptr %memory, i32 %n) !type ![[ONE:[0-9]+]] !type ![[TWO:[0-9]+]] !func_sanitize ![[TYPE:[0-9]+]] !kcfi_type ![[HASH:[0-9]+]] !own.kind ![[OWN:[0-9]+]] {
; CHECK: define internal fastcc void @f.resume(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) !type ![[ONE]] !type ![[TWO]] !kcfi_type ![[HASH]] !own.kind ![[OWN]] {
; CHECK: define internal fastcc void @f.destroy(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) !type ![[ONE]] !type ![[TWO]] !kcfi_type ![[HASH]] !own.kind ![[OWN]] {
; CHECK: define internal fastcc void @f.cleanup(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) !type ![[ONE]] !type ![[TWO]] !kcfi_type ![[HASH]] !own.kind ![[OWN]] {

define ptr @f(ptr %memory, i32 %n) presplitcoroutine !type !0 !type !1 !kcfi_type !2 !own.kind !3 !func_sanitize !4 {
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

!0 = !{i64 0, !"one"}
!1 = !{i64 0, !"two"}
!2 = !{i32 1234}
!3 = !{}
!4 = !{i32 846595819, ptr null}

declare void @use(i32)

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
