; Constants that name a function (relative vtables, CFI, pointer authentication) are no calls, wherever they are.
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split,coro-annotation-elide),function(coro-elide),coro-cleanup' | FileCheck %s
; RUN: pycoro explain %s

; CHECK: @table = constant i32 trunc (i64 sub (i64 ptrtoint (ptr dso_local_equivalent @f to i64), i64 ptrtoint (ptr @table to i64)) to i32)
; CHECK: @raw = constant ptr no_cfi @f
; CHECK: define i32 @f()
; CHECK: call i32 dso_local_equivalent @f()
; CHECK: call i32 no_cfi @f()
; CHECK: define ptr @g(
; CHECK: define internal fastcc void @g.resume(
; CHECK: call void @keep(ptr dso_local_equivalent @g)
@table = constant i32 trunc (i64 sub (i64 ptrtoint (ptr dso_local_equivalent @f to i64), i64 ptrtoint (ptr @table to i64)) to i32)
@raw = constant ptr no_cfi @f
@both = constant [2 x ptr] [ptr no_cfi @g, ptr dso_local_equivalent @g]
@other = alias ptr (i32), ptr @g
@late = ifunc i32 (), ptr @h

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @keep(ptr)

define i32 @f() {
  ret i32 1
}

define ptr @h() {
  %a = call i32 dso_local_equivalent @f()
  %b = call i32 no_cfi @f()
  ret ptr no_cfi @f
}

define ptr @g(i32 %n) presplitcoroutine {
  %memory = call ptr @malloc(i64 64)
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %resumed = icmp eq i8 %s, 0
  br i1 %resumed, label %again, label %out

again:
  call void @keep(ptr dso_local_equivalent @g)
  %inner = call ptr no_cfi @g(i32 1)
  br label %out

out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
