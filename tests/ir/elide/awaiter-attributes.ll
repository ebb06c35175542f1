; Before the passes of a level process a coroutine that creates another one, coro-elide infers what await_suspend does with
; its awaiter.
; UNSUPPORTED: reference
; RUN: pycoro opt -disable-output -passes='default<O2>' -print-after=coro-elide %s 2>&1 | FileCheck %s

; CHECK: CoroElidePass on f
; CHECK: define ptr @f(
; CHECK: call void @llvm.coro.await.suspend.void(ptr nonnull readonly captures(none) %awaiter, ptr %handle, ptr {{(nonnull )?}}@reads)
; CHECK: call void @llvm.coro.await.suspend.void(ptr nonnull readonly captures(none) %awaiter, ptr %handle, ptr {{(nonnull )?}}@reads.by.a.call)
; CHECK: call void @llvm.coro.await.suspend.void(ptr nonnull %awaiter, ptr %handle, ptr {{(nonnull )?}}@writes)
; CHECK: call void @llvm.coro.await.suspend.void(ptr nonnull %awaiter, ptr %handle, ptr {{(nonnull )?}}@writes.by.a.call)
; CHECK: call void @llvm.coro.await.suspend.void(ptr nonnull %awaiter, ptr %handle, ptr {{(nonnull )?}}@fills)
; CHECK: call void @llvm.coro.await.suspend.void(ptr nonnull %awaiter, ptr %handle, ptr {{(nonnull )?}}@captures)
; CHECK: call void @llvm.coro.await.suspend.void(ptr nonnull %awaiter, ptr %handle, ptr {{(nonnull )?}}@is.unknown)
; CHECK: call void @llvm.coro.await.suspend.void(ptr {{(nonnull )?}}%given, ptr %handle, ptr {{(nonnull )?}}@reads)
define ptr @f(ptr %given) presplitcoroutine {
entry:
  %awaiter = alloca [2 x ptr]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @f, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %child = call ptr @g()
  call void @llvm.coro.await.suspend.void(ptr %awaiter, ptr %handle, ptr @reads)
  call void @llvm.coro.await.suspend.void(ptr %awaiter, ptr %handle, ptr @reads.by.a.call)
  call void @llvm.coro.await.suspend.void(ptr %awaiter, ptr %handle, ptr @writes)
  call void @llvm.coro.await.suspend.void(ptr %awaiter, ptr %handle, ptr @writes.by.a.call)
  call void @llvm.coro.await.suspend.void(ptr %awaiter, ptr %handle, ptr @fills)
  call void @llvm.coro.await.suspend.void(ptr %awaiter, ptr %handle, ptr @captures)
  call void @llvm.coro.await.suspend.void(ptr %awaiter, ptr %handle, ptr @is.unknown)
  call void @llvm.coro.await.suspend.void(ptr %given, ptr %handle, ptr @reads)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %exit [i8 0, label %exit
                             i8 1, label %exit]
exit:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @g() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @g, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %exit [i8 0, label %exit
                             i8 1, label %exit]
exit:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define internal void @reads(ptr %awaiter, ptr %handle) {
  %p = getelementptr ptr, ptr %awaiter, i64 1
  %v = load ptr, ptr %p
  call void @use(ptr %v)
  ret void
}

define internal void @reads.by.a.call(ptr %awaiter, ptr %handle) {
  call void @reads(ptr %awaiter, ptr %handle)
  call void @use(ptr nonnull readonly captures(none) %awaiter)
  ret void
}

define internal void @writes(ptr %awaiter, ptr %handle) {
  %p = getelementptr ptr, ptr %awaiter, i64 1
  store ptr %handle, ptr %p
  ret void
}

define internal void @writes.by.a.call(ptr %awaiter, ptr %handle) {
  call void @writes(ptr %awaiter, ptr %handle)
  ret void
}

define internal void @fills(ptr %awaiter, ptr %handle) {
  call void @llvm.memset.p0.i64(ptr %awaiter, i8 0, i64 8, i1 false)
  ret void
}

define internal void @captures(ptr %awaiter, ptr %handle) {
  store ptr %awaiter, ptr @global
  ret void
}

@global = global ptr null

declare void @is.unknown(ptr, ptr)
declare void @use(ptr)
declare ptr @malloc(i64)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare void @llvm.coro.await.suspend.void(ptr, ptr, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
