; A transfer to the noop coroutine is a return, without call or jump once the optimizer knows the target. For an unknown
; target the clone compares with it first.
; RUN: sed 's/ATTRIBUTE//' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup,default<O2>' -verify-each -S | FileCheck %s
; RUN: sed 's/ATTRIBUTE/"disable-tail-calls"="true"/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup,default<O2>' -verify-each -S | FileCheck %s
; RUN: sed 's/ATTRIBUTE/"disable-tail-calls"="true"/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S | FileCheck %s --check-prefix=ASKS

; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: call void @print(i32 1)
; CHECK-NOT: call fastcc
; CHECK-NOT: NoopCoro
; CHECK: ret void

; ASKS: define internal void @f.transfer(ptr %next, ptr %next.address)
; ASKS-NEXT: entry:
; ASKS: %[[RESUME:.*]] = load ptr, ptr %next
; ASKS-NEXT: %[[NOOP:.*]] = icmp eq ptr %[[RESUME]], @__NoopCoro_ResumeDestroy
; ASKS-NEXT: br i1 %[[NOOP]], label %end, label %not.noop

define ptr @f(ptr %memory) presplitcoroutine ATTRIBUTE {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %first = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %first, label %suspend [
    i8 0, label %transfer
    i8 1, label %suspend
  ]

transfer:
  %save = call token @llvm.coro.save(ptr %handle)
  call void @llvm.coro.await.suspend.handle(ptr null, ptr %handle, ptr @nobody)
  %second = call i8 @llvm.coro.suspend(token %save, i1 false)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @nobody(ptr %awaiter, ptr %handle) {
  call void @print(i32 1)
  %noop = call ptr @llvm.coro.noop()
  ret ptr %noop
}

declare void @print(i32)
