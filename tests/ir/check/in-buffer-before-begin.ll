; The frame is in the caller's buffer, and an alloca is written before llvm.coro.begin. Until its content is copied, it is
; on the stack: a store into the buffer instead would be overwritten (see tests/c/check_mutants.c).
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: warning
; CHECK-LABEL: define { ptr, i32 } @f(
; CHECK: store i32 %n, ptr %[[STACK:.*]], align 4
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 4 %buffer, ptr align 4 %[[STACK]], i64 4, i1 false)
define { ptr, i32 } @f(ptr %buffer, i32 %n) presplitcoroutine {
entry:
  %count = alloca i32
  store i32 %n, ptr %count
  %id = call token @llvm.coro.id.retcon(i32 16, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  br label %loop
loop:
  %now = load i32, ptr %count
  %stop = call i1 (...) @llvm.coro.suspend.retcon.i1(i32 %now)
  br i1 %stop, label %end, label %again
again:
  call void @change(ptr %count)
  br label %loop
end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

declare { ptr, i32 } @prototype(ptr, i1)
declare void @change(ptr)
declare ptr @allocate(i32)
declare void @deallocate(ptr)
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare void @llvm.coro.end(ptr, i1, token)
