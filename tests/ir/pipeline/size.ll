; A level that is for size makes LLVM's inliner think of it, in functions that do not say what size means to them, and
; none is left with what told it so.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='default<O2>' %s | FileCheck %s --check-prefixes=SPEED,BOTH
; RUN: pycoro opt -S -passes='default<Os>' %s | FileCheck %s --check-prefixes=SIZE,BOTH
; RUN: pycoro opt -S -verify-each -passes='default<Oz>' %s | FileCheck %s --check-prefixes=SIZE,BOTH
; BOTH-LABEL: define void @caller(i32 %n)
; BOTH-SAME: local_unnamed_addr {
; SPEED-NOT: call{{.*}} @long(
; SIZE: call{{.*}} @long(
; BOTH-LABEL: define void @thrifty(
; BOTH: call{{.*}} @long(
; BOTH-LABEL: define i32 @apart(
; BOTH: attributes {{.*}}minsize
; BOTH-NOT: optsize
; BOTH-NOT: minsize

define void @long(i32 %n) {
  call void @print(i32 %n, i32 1)
  call void @print(i32 %n, i32 2)
  call void @print(i32 %n, i32 3)
  call void @print(i32 %n, i32 4)
  ret void
}

define void @caller(i32 %n) {
  call void @long(i32 %n)
  ret void
}

define void @thrifty(i32 %n) minsize {
  call void @long(i32 %n)
  ret void
}

define i32 @apart(i32 %n) optnone noinline {
  ret i32 %n
}

define i1 @is_done(ptr %handle) {
  %done = call i1 @llvm.coro.done(ptr %handle)
  ret i1 %done
}

define ptr @coroutine(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [i8 0, label %destroy
                            i8 1, label %destroy]
destroy:
  %dead = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %dead)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.size.i64()
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare i1 @llvm.coro.done(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @print(i32, i32)
