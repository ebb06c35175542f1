; Parameters in the frame are read by the clones too, so they are no longer noalias. Their other attributes are
; unchanged, also in the ramp with a caller-provided frame.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split)' -S | FileCheck %s

; CHECK: define swiftcc noundef nonnull align 8 dereferenceable(16) ptr @f(ptr nonnull readonly %memory, i32 inreg zeroext %n) unnamed_addr #[[F:[0-9]+]] section "s" {
; CHECK: define internal fastcc void @f.resume(ptr noundef nonnull align 8 dereferenceable([[SIZE:[0-9]+]]) %handle) #[[F]] section "s" {
; CHECK: define internal swiftcc noundef nonnull align 8 dereferenceable(16) ptr @f.noalloc(ptr nonnull readonly %{{.*}}, i32 inreg zeroext %{{.*}}, ptr noundef nonnull align 8 dereferenceable([[SIZE]]) %{{.*}}) unnamed_addr #[[F]] section "s" {
; CHECK: attributes #[[F]] = { nounwind }

define swiftcc noundef nonnull align 8 dereferenceable(16) ptr @f(ptr noalias nonnull readonly captures(none) %memory, i32 inreg zeroext %n) unnamed_addr #0 section "s" {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  %place = select i1 %need, ptr %memory, ptr null
  %handle = call ptr @llvm.coro.begin(token %id, ptr %place)
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

define ptr @caller(ptr %memory, i32 %n) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %inner = call swiftcc ptr @f(ptr %memory, i32 %n) coro_elide_safe
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %inner
}

attributes #0 = { presplitcoroutine nounwind }

declare void @use(i32)

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
