; A module that has some functions of the cache already, for example because LLVM inlined and removed the others, gets the missing ones.
; RUN: pycoro opt %s -S -passes=coro-cache-frames | FileCheck %s
; RUN: sed 's/ptr @pycoro.frame_cache.take(i64)/i32 @pycoro.frame_cache.take(i64)/' %s | not pycoro opt -disable-output -passes=coro-cache-frames 2>&1 | FileCheck %s --check-prefix=OTHER
; The size of a list's element, and so the offset of the mark that the cache was open, depends on the target.
; RUN: sed 's/^; TARGET: //' %s | pycoro opt -S -passes='coro-cache-frames,default<O1>' | FileCheck %s --check-prefix=SMALL
; TARGET: target datalayout = "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128"
; TARGET: target triple = "i686-unknown-linux-gnu"

; CHECK-DAG: define linkonce_odr hidden ptr @pycoro.frame_cache.take(i64
; CHECK-DAG: define linkonce_odr hidden i1 @pycoro.frame_cache.give(ptr
; OTHER: error: the functions of coro-cache-frames cannot be linked to the module
; SMALL: getelementptr{{.*}} i8, ptr %cache, i{{32|64}} 396

declare ptr @pycoro.frame_cache.take(i64)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.size.i64()
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @_Znwm(i64)
declare void @_ZdlPvm(ptr, i64)
define ptr @f2() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %al, label %init
al:
  %s = call i64 @llvm.coro.size.i64()
  %m = call ptr @_Znwm(i64 %s)
  br label %init
init:
  %mm = phi ptr [null, %entry], [%m, %al]
  %h = call ptr @llvm.coro.begin(token %id, ptr %mm)
  %r = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %r, label %ret [i8 0, label %clean
                            i8 1, label %clean]
clean:
  %mem = call ptr @llvm.coro.free(token %id, ptr %h)
  %c = icmp ne ptr %mem, null
  br i1 %c, label %fr, label %ret
fr:
  %s2 = call i64 @llvm.coro.size.i64()
  call void @_ZdlPvm(ptr %mem, i64 %s2)
  br label %ret
ret:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %h
}
