; The clones have the function's code generation attributes: target, frame pointers, unwind tables, sanitizers,
; hardening, size. They do not have presplitcoroutine.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split)' -S | FileCheck %s

; CHECK: define ptr @f(ptr %memory, i32 %n) #[[ALL:[0-9]+]] {
; CHECK: define internal fastcc void @f.resume(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) #[[ALL]] {
; CHECK: define internal fastcc void @f.destroy(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) #[[ALL]] {
; CHECK: define internal fastcc void @f.cleanup(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) #[[ALL]] {
; CHECK: attributes #[[ALL]] = { cold minsize noinline nounwind optsize sanitize_address sspstrong strictfp uwtable(sync) vscale_range(1,16)
; CHECK-SAME: "branch-target-enforcement" "frame-pointer"="all" "sign-return-address"="all" "target-cpu"="x86-64" "target-features"="+avx" }
; CHECK-NOT: presplitcoroutine

define ptr @f(ptr %memory, i32 %n) #0 {
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

attributes #0 = { presplitcoroutine cold minsize noinline nounwind optsize sanitize_address sspstrong strictfp uwtable(sync) vscale_range(1,16) "branch-target-enforcement" "frame-pointer"="all" "sign-return-address"="all" "target-cpu"="x86-64" "target-features"="+avx" }

declare void @use(i32)

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
