; Attributes of the ramp's parameters, result, address, memory effects or return do not apply to the clones: they take
; the frame, write to it, and return. LLVM copies these too, and its IR does not verify.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split)' -S | FileCheck %s

; CHECK: define noalias ptr @f(ptr %memory, i32 %n) unnamed_addr #[[RAMP:[0-9]+]] {
; CHECK: define internal fastcc void @f.resume(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) #[[CLONE:[0-9]+]] {
; CHECK: define internal fastcc void @f.destroy(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) #[[CLONE]] {
; CHECK: define internal fastcc void @f.cleanup(ptr noundef nonnull align 8 dereferenceable({{[0-9]+}}) %handle) #[[CLONE]] {
; CHECK: attributes #[[RAMP]] = { jumptable noreturn nounwind speculatable allockind("alloc,uninitialized") allocsize(1) memory(argmem: readwrite) "alloc-family"="malloc" "target-cpu"="x86-64" }
; CHECK: attributes #[[CLONE]] = { nounwind "target-cpu"="x86-64" }

define noalias ptr @f(ptr %memory, i32 %n) unnamed_addr #0 {
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

attributes #0 = { presplitcoroutine jumptable noreturn nounwind speculatable allockind("alloc,uninitialized") allocsize(1) memory(argmem: readwrite) "alloc-family"="malloc" "target-cpu"="x86-64" }

declare void @use(i32)

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
