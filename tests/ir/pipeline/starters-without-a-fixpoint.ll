; Passes that the client names run in LLVM without aborting, also in the early run over creation sites: instcombine
; reaches no fixpoint in @main.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,cgscc(inline,function(sroa,early-cse,simplifycfg,instcombine,gvn),coro-split,coro-elide),coro-cleanup' %s | FileCheck %s
; CHECK-LABEL: define void @main(
; CHECK-NOT: @llvm.coro
target datalayout = "e-n64"
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @print(i64)
define ptr @gen(i64 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %al, label %beg
al:
  %size = call i64 @llvm.coro.size.i64()
  %m = call ptr @malloc(i64 %size)
  br label %beg
beg:
  %mem = phi ptr [ null, %entry ], [ %m, %al ]
  %h = call ptr @llvm.coro.begin(token %id, ptr %mem)
  call void @print(i64 %n)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %d ]
resumed:
  call void @print(i64 2)
  br label %d
d:
  %f = call ptr @llvm.coro.free(token %id, ptr %h)
  call void @free(ptr %f)
  br label %out
out:
  call void @llvm.coro.end(ptr %h, i1 false, token none)
  ret ptr %h
}
define void @main(i64 %s) {
entry:
  %g = call ptr @gen(i64 1)
  call void @llvm.coro.resume(ptr %g)
  br label %loop
loop:
  %a = phi i8 [ 0, %entry ], [ %t, %loop ]
  %b = phi i64 [ 0, %entry ], [ %s, %loop ]
  %se = sext i8 %a to i64
  %or = or i64 %b, %se
  %t = trunc i64 %or to i8
  %c = icmp eq i64 %s, 0
  br i1 %c, label %loop, label %exit
exit:
  ret void
}
