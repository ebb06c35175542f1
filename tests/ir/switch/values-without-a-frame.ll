; RUN: pycoro opt -S -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' %s | FileCheck %s
; After a suspend another thread may destroy the frame, and coro.free releases it: values used after either are reloaded
; before. LLVM reloads them from the frame.
; UNSUPPORTED: reference

; What the ramp has made is read where a clone begins.
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: entry.resume:
; CHECK: [[K:%.*]] = load i32, ptr
; CHECK: cleanup:
; CHECK-NEXT: call void @free(
; CHECK: out:
; CHECK-NEXT: call void @print(i32 [[K]])
; CHECK-NEXT: ret void
; CHECK-LABEL: define internal fastcc void @f.destroy(
; CHECK: entry.destroy:
; CHECK: [[K:%.*]] = load i32, ptr
; CHECK: out:
; CHECK-NEXT: call void @print(i32 [[K]])
; CHECK-NEXT: ret void
define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %k = mul i32 %n, %n
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %waits
    i8 1, label %cleanup
  ]

waits:
  call void @print(i32 1)
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %out [
    i8 0, label %cleanup
    i8 1, label %cleanup
  ]

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %block)
  br label %out

out:
  call void @print(i32 %k)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

; What a clone has made comes from there, or is read at the landing.
; CHECK-LABEL: define internal fastcc void @g.resume(
; CHECK: behind:
; CHECK-NEXT: [[K:%.*]] = phi i32 [ %k, %waits ], [ [[LANDED:%.*]], %cleanup ]
; CHECK-NEXT: call void @print(i32 [[K]])
; CHECK: resume.1:
; CHECK-NEXT: [[LANDED]] = load i32, ptr
define ptr @g() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %waits
    i8 1, label %out
  ]

waits:
  %k = call i32 @get()
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %behind [
    i8 0, label %cleanup
    i8 1, label %cleanup
  ]

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %block)
  br label %behind

behind:
  call void @print(i32 %k)
  br label %out

out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

; No phi can hold a token: it is made again there, in a clone.
; CHECK-LABEL: define internal fastcc void @h.resume(
; CHECK: out:
; CHECK-NEXT: call void @tell(i1 true)
define ptr @h() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %waits
    i8 1, label %cleanup
  ]

waits:
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %out [
    i8 0, label %cleanup
    i8 1, label %cleanup
  ]

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %block)
  br label %out

out:
  %allocated = call i1 @llvm.coro.alloc(token %id)
  call void @tell(i1 %allocated)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i1 @llvm.coro.alloc(token)
declare void @print(i32)
declare void @tell(i1)
declare i32 @get()
