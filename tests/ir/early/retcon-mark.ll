; coro-early marks returned-continuation coroutines, unless they are split already.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-early %s -o - | FileCheck %s

; CHECK: define ptr @unsplit({{.*}} #[[#MARK:]] {
define ptr @unsplit(ptr %buffer) {
  %id = call token @llvm.coro.id.retcon.once(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %unwind = call i1 (...) @llvm.coro.suspend.retcon.i1()
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  unreachable
}

; CHECK: define ptr @split(ptr %buffer) {
define ptr @split(ptr %buffer) {
  %id = call token @llvm.coro.id.retcon.once(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  ret ptr @prototype
}

; CHECK: attributes #[[#MARK]] = { presplitcoroutine }

declare void @prototype(ptr, i1)
declare ptr @allocate(i32)
declare void @deallocate(ptr)
declare token @llvm.coro.id.retcon.once(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare void @llvm.coro.end(ptr, i1, token)
