; A swifterror alloca that is never passed to a function, written before coro.begin: only loads and stores may access
; its content, and only they identify it.
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %s -o - | FileCheck %s

; CHECK-LABEL: define ptr @f(
; CHECK: %own{{.*}} = alloca swifterror ptr
; CHECK: store ptr inttoptr (i64 100 to ptr), ptr %own
; CHECK: [[CONTENT:%.*]] = load ptr, ptr %own
; CHECK: store ptr [[CONTENT]], ptr %own.reload.addr
; CHECK-LABEL: define {{.*}}@f.resume(
; CHECK: store ptr null, ptr %own

define ptr @f(ptr %memory, i1 %c) presplitcoroutine {
entry:
  %own = alloca swifterror ptr
  store ptr inttoptr (i64 100 to ptr), ptr %own
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br i1 %c, label %wait, label %set

set:
  store ptr inttoptr (i64 200 to ptr), ptr %own
  br label %wait

wait:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [ i8 0, label %resume
                                 i8 1, label %cleanup ]

resume:
  %a = load ptr, ptr %own
  call void @show(ptr %a)
  store ptr null, ptr %own
  br label %wait

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @free(ptr)
declare void @show(ptr)
