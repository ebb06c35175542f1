; LLVM's instcombine sinks a thread-local address over a suspend, where another thread may continue. pycoro prevents
; that in coroutines still to be split, also for inlined functions. Functions that are inlined into no coroutine are
; unaffected.
; RUN: pycoro opt %s -S -passes='coro-early,cgscc(inline,function(instcombine<no-verify-fixpoint>))' | FileCheck %s
; RUN: pycoro opt %s -S -passes='default<O2>' | FileCheck %s --check-prefix=SPLIT
; RUN: sed 's/ presplitcoroutine//' %s | pycoro opt - -S -passes='cgscc(inline,function(instcombine<no-verify-fixpoint>))' | FileCheck %s --check-prefix=PLAIN
; UNSUPPORTED: reference

; CHECK-LABEL: define ptr @f(
; CHECK: call {{.*}}@llvm.threadlocal.address.p0(
; CHECK: call {{.*}}@llvm.threadlocal.address.p0(
; CHECK: call i8 @llvm.coro.suspend(
; CHECK-NOT: @llvm.threadlocal.address
; CHECK-LABEL: define ptr @inlined(
; CHECK-LABEL: define void @apart(
; CHECK: br i1
; CHECK: call {{.*}}@llvm.threadlocal.address.p0(
; CHECK-NOT: convergent
; PLAIN-LABEL: define ptr @f(
; PLAIN: call i8 @llvm.coro.suspend(
; PLAIN: call {{.*}}@llvm.threadlocal.address.p0(
; SPLIT-LABEL: define internal fastcc void @f.resume(
; SPLIT-NOT: threadlocal
; SPLIT: call void @use(
; SPLIT-NOT: convergent

@counter = thread_local global i32 0
@other = thread_local global i32 0

define ptr @f() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %own = call ptr @llvm.threadlocal.address.p0(ptr @counter)
  %given = call ptr @inlined()
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %out [ i8 0, label %resumed
                                  i8 1, label %done ]

resumed:
  call void @use(ptr %own, ptr %given)
  br label %done

done:
  %dead = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @inlined() {
  %address = call ptr @llvm.threadlocal.address.p0(ptr @other)
  ret ptr %address
}

define void @apart(i1 %is, ptr %given) {
  %own = call ptr @llvm.threadlocal.address.p0(ptr @counter)
  br i1 %is, label %used, label %out
used:
  call void @use(ptr %own, ptr %given)
  br label %out
out:
  ret void
}

declare ptr @llvm.threadlocal.address.p0(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.size.i64()
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @use(ptr, ptr)
