; In the resume function, code between a suspend in a loop and the branch on its result runs after control has been resumed
; there, and after it has suspended there again. Then another thread may use the frame: the value is spilled before the
; next suspend.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: the lowering is not checked
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: %v = call i32 @next()
; CHECK-NEXT: switch
; CHECK: resumed:
; CHECK-NEXT: store i32 %v, ptr %v.spill.addr
define ptr @f() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop
loop:
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  %v = call i32 @next()
  switch i8 %s1, label %out [ i8 0, label %resumed
                              i8 1, label %cleanup ]
resumed:
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %again
                              i8 1, label %cleanup ]
again:
  call void @use(i32 %v)
  br label %loop
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare void @use(i32)
declare i32 @next()
declare ptr @malloc(i64)
declare void @free(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
