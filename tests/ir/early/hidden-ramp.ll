; To optimizers a coroutine whose suspends return seems to end in unreachable, so that its callers seem not to continue.
; coro-early hides the ramp, coro-split restores it.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -passes='coro-early' -S | FileCheck %s --check-prefix=EARLY
; RUN: pycoro opt %s -passes='coro-early,coro-split' -S | FileCheck %s --check-prefix=SPLIT
; RUN: pycoro opt %s -passes='default<O2>' -verify-each -S | FileCheck %s

; EARLY-LABEL: define i32 @main(
; EARLY: [[HIDDEN:%.*]] = call ptr @llvm.coro.prepare.retcon(ptr @f)
; EARLY: call { ptr, i32 } [[HIDDEN]](ptr %buffer, i32 %n)
; SPLIT-LABEL: define i32 @main(
; SPLIT: call { ptr, i32 } @f(ptr %buffer, i32 %n)
; CHECK-LABEL: define {{.*}}i32 @main(
; CHECK: call void @print(i32 %n)
; CHECK: ret i32 %n
define i32 @main(i32 %n) {
  %buffer = alloca [64 x i8]
  %first = call { ptr, i32 } @f(ptr %buffer, i32 %n)
  %value = extractvalue { ptr, i32 } %first, 1
  call void @print(i32 %value)
  %next = extractvalue { ptr, i32 } %first, 0
  %last = call { ptr, i32 } %next(ptr %buffer, i1 true)
  ret i32 %value
}

define internal { ptr, i32 } @f(ptr %buffer, i32 %n) presplitcoroutine {
  %id = call token @llvm.coro.id.retcon(i32 64, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @release)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %ends = call i1 (...) @llvm.coro.suspend.retcon.i1(i32 %n)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

declare { ptr, i32 } @prototype(ptr, i1)
declare ptr @allocate(i32)
declare void @release(ptr)
declare void @print(i32)
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare void @llvm.coro.end(ptr, i1, token)
