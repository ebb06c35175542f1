; LLVM's verifier may run inside a CGSCC group.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split,function(verify)),coro-cleanup' -S | FileCheck %s
; RUN: pycoro opt %s -passes='coro-early,cgscc(inline,function(verify,sroa),coro-split,function(sroa,verify)),coro-cleanup' -S | FileCheck %s

; CHECK: define internal fastcc void @f.resume(

define ptr @f() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %cleanup
                             i8 1, label %cleanup ]
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %old)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @g() {
  %h = call ptr @f()
  ret ptr %h
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
