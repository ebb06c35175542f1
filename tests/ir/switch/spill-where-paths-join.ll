; %v is defined where control may have suspended before, and used after a suspend that both paths reach. The ramp
; spills it before that suspend, too, although its users have moved to @f.resume by then.
; RUN: pycoro opt -S -passes='coro-early,coro-split,coro-cleanup' %s -o %t.ll
; RUN: lli-22 %t.ll | FileCheck %s

; CHECK: 41
; CHECK-NEXT: 42
; CHECK-NEXT: 44

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
@fmt = private constant [4 x i8] c"%d\0A\00"
@cnt = global i32 40
define i32 @next() noinline {
  %c = load i32, ptr @cnt
  %d = add i32 %c, 1
  store i32 %d, ptr @cnt
  ret i32 %d
}
define void @use(i32 %v) noinline {
  %r = call i32 (ptr, ...) @printf(ptr @fmt, i32 %v)
  ret void
}
define ptr @f(i1 %c0, i1 %c1) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br i1 %c0, label %A, label %D
A:
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  br label %D
D:
  %sel = phi i8 [ %s0, %A ], [ 0, %entry ]
  %v = call i32 @next()
  switch i8 %sel, label %exit [ i8 0, label %next1
                                i8 1, label %cleanup ]
next1:
  br i1 %c1, label %B, label %J
B:
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %exit [ i8 0, label %J
                                i8 1, label %cleanup ]
J:
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %exit [ i8 0, label %fin
                                i8 1, label %cleanup ]
fin:
  call void @use(i32 %v)
  br label %cleanup
cleanup:
  %fm = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %fm)
  br label %exit
exit:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}
define i32 @main() {
  %h = call ptr @f(i1 false, i1 false)
  call void @llvm.coro.resume(ptr %h)
  %h1 = call ptr @f(i1 false, i1 true)
  call void @llvm.coro.resume(ptr %h1)
  call void @llvm.coro.resume(ptr %h1)
  %h2 = call ptr @f(i1 true, i1 false)
  call void @llvm.coro.resume(ptr %h2)
  call void @llvm.coro.resume(ptr %h2)
  ret i32 0
}
