; Two allocas have the same place in the frame, because they are live across different suspends. The ramp copies the
; second into it, which the checker must not take for a copy of the first.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup' 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: warning
; CHECK-LABEL: define { ptr, i32 } @f(
; CHECK: %[[VALUE:.*]] = load ptr, ptr %{{.*}}, align 8
; CHECK: store ptr %[[VALUE]], ptr %buffer, align 8
; CHECK-LABEL: define internal { ptr, i32 } @f.resume.0(
; CHECK: store i64 7, ptr %buffer
define { ptr, i32 } @f(ptr %buffer) presplitcoroutine {
entry:
  %later = alloca i64
  %error = alloca swifterror ptr
  store ptr null, ptr %error
  %id = call token @llvm.coro.id.retcon(i32 1024, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %stop = call i1 (...) @llvm.coro.suspend.retcon.i1(i32 0)
  br i1 %stop, label %end, label %again
again:
  %value = load ptr, ptr %error
  call void @use(ptr %value)
  store i64 7, ptr %later
  %stop.again = call i1 (...) @llvm.coro.suspend.retcon.i1(i32 1)
  br i1 %stop.again, label %destroyed, label %end
destroyed:
  call void @use(ptr %later)
  br label %end
end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

declare { ptr, i32 } @prototype(ptr, i1)
declare void @use(ptr)
declare ptr @allocate(i32)
declare void @deallocate(ptr)
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare void @llvm.coro.end(ptr, i1, token)
