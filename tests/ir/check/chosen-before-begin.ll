; An address that a phi chooses before llvm.coro.begin, between two allocas that move into the frame and a global. The ramp
; computes it from the number of the memory that was chosen, which the checker traces. A select and a loop choose before
; the phi does. A freeze may choose any address if %b is poison: @frozen freezes once more after llvm.coro.begin, where only
; that address is used.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s
; UNSUPPORTED: reference

@global = global i32 0

; CHECK-NOT: the lowering is not checked
; CHECK-LABEL: define ptr @f(
; CHECK: %p.origin = phi i32 [ 0, %entry ], [ %next.origin, %again ]
define ptr @f(i1 %b, i32 %n, i64 %at) presplitcoroutine {
entry:
  %x = alloca i32
  %y = alloca [2 x i32]
  store i32 10, ptr %x
  store i64 20, ptr %y
  br label %head
head:
  %p = phi ptr [ @global, %entry ], [ %next, %again ]
  %i = phi i32 [ 0, %entry ], [ %more, %again ]
  %done = icmp eq i32 %i, %n
  br i1 %done, label %start, label %again
again:
  %more = add i32 %i, 1
  %element = getelementptr i32, ptr %y, i64 %at
  %other = select i1 %b, ptr %x, ptr %p
  %first = icmp eq i32 %i, 0
  %next = select i1 %first, ptr %element, ptr %other
  br label %head
start:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %cleanup ]
resumed:
  %old = load i32, ptr %p
  store i32 7, ptr %p
  call void @report(i32 %old)
  %of.x = load i32, ptr %x
  call void @report(i32 %of.x)
  %of.y = load i64, ptr %y
  %low = trunc i64 %of.y to i32
  call void @report(i32 %low)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

; CHECK-LABEL: define ptr @frozen(
define ptr @frozen(i1 %b) presplitcoroutine {
entry:
  %x = alloca i32
  %y = alloca i32
  store i32 10, ptr %x
  store i32 20, ptr %y
  %chosen = select i1 %b, ptr %x, ptr %y
  %p = freeze ptr %chosen
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store i32 30, ptr %p
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %cleanup ]
resumed:
  %old = load i32, ptr %p
  call void @report(i32 %old)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare void @report(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
