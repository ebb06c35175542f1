; An unwinding end with suspends before and after it, in one block: the phi of a suspend's result has an entry for
; destroying after an exception.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='cgscc(coro-split),coro-cleanup' %s -o - | FileCheck %s

; CHECK: define {{.*}}@f.destroy(

define ptr @f(ptr %m) presplitcoroutine {
b0:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @f, ptr null)
  %h = call ptr @llvm.coro.begin(token %id, ptr %m)
  %v0 = call i8 @llvm.coro.suspend(token none, i1 false)
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %v2 = call i8 @llvm.coro.suspend(token none, i1 false)
  %v3 = call ptr @llvm.coro.free(token %id, ptr %h)
  %v4 = call i8 @llvm.coro.suspend(token none, i1 false)
  br label %b4

b4:
  br label %b4
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
