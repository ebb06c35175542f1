; A coroutine that deletes without a test of its memory: coro.free is null if the frame is elided, and null is not put into a list.
; RUN: pycoro opt %s -passes='coro-cache-frames,coro-early,cgscc(coro-split,function(coro-elide)),coro-cleanup' -o %t.bc
; RUN: lli-22 %t.bc
; RUN: pycoro opt %s -S -passes='coro-cache-frames,coro-early,coro-split,coro-elide,coro-cleanup' | FileCheck %s

; CHECK-LABEL: define i32 @main(
; CHECK:         alloca [{{.*}} x i8]

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.destroy(ptr)
declare ptr @_Znwm(i64)
declare void @_ZdlPvm(ptr, i64)
declare void @opaque(ptr)

define ptr @waits() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 16, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %al, label %init
al:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @_Znwm(i64 %size)
  br label %init
init:
  %mm = phi ptr [null, %entry], [%memory, %al]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %mm)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %exit [i8 0, label %free
                             i8 1, label %free]
free:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  %freed.size = call i64 @llvm.coro.size.i64()
  call void @_ZdlPvm(ptr %freed, i64 %freed.size)
  br label %exit
exit:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
define i32 @main() {
  %h = call ptr @waits()
  call void @llvm.coro.destroy(ptr %h)
  ret i32 0
}
