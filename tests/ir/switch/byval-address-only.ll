; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %s | FileCheck %s
; A byval parameter whose address alone is used after a suspend is not in the frame; the clones, which have no such
; parameter, have an alloca in its place.

; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK-SAME: ptr {{.*}}[[F:%[0-9a-z]+]]
; CHECK: [[A:%.*]] = alloca i32, align 8
; CHECK: phi ptr [ [[A]], %{{.*}} ], [ null, %{{.*}} ]

define ptr @f(i1 %c, ptr byval(i32) align 8 %a) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %cleanup ]

resumed:
  br i1 %c, label %yes, label %join

yes:
  call void @print(i32 1)
  br label %join

join:
  %p = phi ptr [ %a, %yes ], [ null, %resumed ]
  call void @print(i32 2)
  br label %cleanup

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

declare ptr @malloc(i64)
declare void @free(ptr)
declare void @print(i32)
