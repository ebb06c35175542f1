; An alloca is in the frame from its first access on, wherever its lifetime starts, and not at all if all accesses are
; between two suspends.
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup' | FileCheck %s
; UNSUPPORTED: reference

; A suspend falls into the lifetime of %x, and nothing that it holds comes over it. Where the lifetime started is told to
; no part, as %x would be accessed in front of it in the second round.
; CHECK-LABEL: define ptr @f(
; CHECK: call ptr @malloc(i64 24)
; CHECK-NOT: call void @llvm.lifetime
define ptr @f(i1 %more) presplitcoroutine {
entry:
  %x = alloca [4 x i64]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop
loop:
  call void @llvm.lifetime.start.p0(ptr %x)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]
resumed:
  call void @fill(ptr %x)
  call void @llvm.lifetime.end.p0(ptr %x)
  br i1 %more, label %loop, label %destroyed
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

; %late is alive from the start and touched behind the first suspend, where %early is over: they share their bytes.
; CHECK-LABEL: define ptr @g(
; CHECK: call ptr @malloc(i64 56)
define ptr @g(i64 %n) presplitcoroutine {
entry:
  %early = alloca [4 x i64]
  %late = alloca [4 x i64]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @llvm.lifetime.start.p0(ptr %late)
  call void @llvm.lifetime.start.p0(ptr %early)
  call void @fill(ptr %early)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]
resumed:
  call void @fill(ptr %early)
  call void @keep(ptr %late)
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %out [
    i8 0, label %again
    i8 1, label %destroyed
  ]
again:
  call void @llvm.lifetime.end.p0(ptr %late)
  call void @llvm.lifetime.end.p0(ptr %early)
  br label %destroyed
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

; Somebody has the address of %known before its lifetime starts, and may use it from there on: it has bytes of its own.
; CHECK-LABEL: define ptr @h(
; CHECK: call ptr @malloc(i64 88)
define ptr @h(i64 %n) presplitcoroutine {
entry:
  %early = alloca [4 x i64]
  %known = alloca [4 x i64]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @keep(ptr %known)
  call void @llvm.lifetime.start.p0(ptr %known)
  call void @fill(ptr %early)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]
resumed:
  call void @fill(ptr %early)
  call void @keep(ptr %known)
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %out [
    i8 0, label %again
    i8 1, label %destroyed
  ]
again:
  call void @llvm.lifetime.end.p0(ptr %known)
  br label %destroyed
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
declare void @fill(ptr captures(none))
declare void @keep(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)

; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: %x = alloca [4 x i64]
; CHECK-NOT: call void @llvm.lifetime
; CHECK: call void @fill(ptr %x)
