; coro-early marks a switched-resume coroutine that lacks presplitcoroutine, as LLVM after 22 does. coro-split does not: after
; other passes an unmarked function may not be a correct coroutine any more.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-early %s | FileCheck %s
; RUN: pycoro opt -S -passes='default<O2>' %s | FileCheck %s --check-prefix=O2
; RUN: not pycoro opt -S -passes='cgscc(coro-split)' %s -o - 2>&1 | FileCheck %s --check-prefix=SPLIT

; CHECK: define ptr @f(ptr %memory) #[[MARKED:[0-9]+]]
; CHECK: define void @plain(ptr %handle) {
; CHECK: attributes #[[MARKED]] = { {{.*}}presplitcoroutine

; O2: define {{.*}}ptr @f(
; O2: define {{.*}}void @f.resume(
; O2: define {{.*}}void @f.destroy(

; SPLIT: lacks the attribute presplitcoroutine
; SPLIT: @f, %entry: %id = call token @llvm.coro.id

define ptr @f(ptr %memory) {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  call void @work()
  br label %cleanup

cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define void @plain(ptr %handle) {
  call void @llvm.coro.resume(ptr %handle)
  ret void
}

declare void @work()
declare void @free(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
