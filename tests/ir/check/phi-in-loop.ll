; A phi of constants decides a branch in a loop, and the loop passes another constant than the resumption. A clone without the
; branch is correct only if no path to the removed branch bypasses the phi: check_mutants builds such clones.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,coro-split' 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: the lowering is not checked
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: switch i32 %p
declare ptr @malloc(i64)
declare void @free(ptr)
declare i1 @more()
declare void @a()
declare void @b()

define ptr @f() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %s = call i64 @llvm.coro.size.i64()
  %m = call ptr @malloc(i64 %s)
  %h = call ptr @llvm.coro.begin(token %id, ptr %m)
  %r = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %r, label %ret [i8 0, label %res
                            i8 1, label %clean]
res:
  br label %join
join:
  %p = phi i32 [ 1, %res ], [ 2, %latch ]
  %d = add i32 %p, 7
  switch i32 %p, label %clean [ i32 1, label %cc 
   i32 2, label %dd ]
cc:
  call void @a()
  %c = call i1 @more()
  br i1 %c, label %latch, label %clean
latch:
  br label %join
dd:
  call void @b()
  br label %clean
clean:
  %mem = call ptr @llvm.coro.free(token %id, ptr %h)
  call void @free(ptr %mem)
  br label %ret
ret:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %h
}
