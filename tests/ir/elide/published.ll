; A coroutine that another module publishes: its frame is in the frame of its awaiter, through a ramp whose name encodes
; the published facts. A coroutine published here has such a ramp.
; RUN: pycoro opt %s -S -passes=coro-early | FileCheck %s --check-prefix=EARLY
; RUN: pycoro opt %s -S -passes='coro-early<max-frame-bytes=39>' | FileCheck %s --check-prefix=LIMIT
; RUN: pycoro opt %s -S -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s

; EARLY-LABEL: define ptr @parent(
; EARLY: %there.frame = alloca [40 x i8], align 16
; EARLY: %child = call ptr @there.noalloc.v1.40.16(i32 %n, ptr %there.frame)
; EARLY-NEXT: %marked.not = call ptr @there(i32 %n)
; EARLY: declare ptr @there.noalloc.v1.40.16(i32 signext, ptr noundef nonnull align 16 dereferenceable(40))

; LIMIT-NOT: call ptr @there.noalloc.v1.40.16

; CHECK: @here.noalloc.v1.16.8 = alias ptr (ptr), ptr @here.noalloc
; CHECK-LABEL: define ptr @parent(
; CHECK: define internal ptr @here.noalloc(ptr noundef nonnull align 8 dereferenceable(16) %0)
; CHECK: store ptr @here.cleanup

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
@room = global [64 x i8] zeroinitializer
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare ptr @allocate(i32)
declare ptr @there(i32 signext) "coro-frame"="1,40,16"

define ptr @parent(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %memory = call ptr @allocate(i32 128)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %child = call ptr @there(i32 %n) coro_elide_safe
  %marked.not = call ptr @there(i32 %n)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [i8 0, label %resume
                            i8 1, label %out]
resume:
  call void @llvm.coro.resume(ptr %child)
  call void @llvm.coro.resume(ptr %marked.not)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @here() presplitcoroutine "coro-publish" {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %wanted = call i1 @llvm.coro.alloc(token %id)
  %memory = select i1 %wanted, ptr @room, ptr null
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}
