; An exception that leaves a continuation frees the frame and propagates to the caller. After llvm.coro.prepare.retcon
; callers see the ramp once it is split.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split)' -S | FileCheck %s

; CHECK-LABEL: define void @call(
; CHECK: call { ptr, i32 } @f(ptr %buffer)
; CHECK-LABEL: define internal { ptr, i32 } @f.resume.0(
; CHECK-SAME: personality
; CHECK: landingpad { ptr, i32 }
; CHECK: call void @deallocate(ptr %frame{{.*}})
; CHECK: resume { ptr, i32 }
; CHECK-LABEL: define internal { ptr, i32 } @f.resume.1(
; CHECK: call void @deallocate(ptr %frame{{.*}})
; CHECK: ret { ptr, i32 }

define { ptr, i32 } @f(ptr %buffer) personality ptr @personality {
entry:
  %id = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %frame = call ptr @llvm.coro.begin(token %id, ptr null)
  %a = call i64 @source()
  %b = call i64 @source()
  call void (...) @llvm.coro.suspend.retcon.isVoid(i32 0)
  invoke void @may_throw(i64 %a) to label %next unwind label %pad
next:
  call void (...) @llvm.coro.suspend.retcon.isVoid(i32 1)
  call void @may_throw(i64 %b)
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  unreachable
pad:
  %lp = landingpad { ptr, i32 } cleanup
  call void @llvm.coro.end(ptr %frame, i1 true, token none)
  resume { ptr, i32 } %lp
}

define void @call(ptr %buffer) {
  %prepared = call ptr @llvm.coro.prepare.retcon(ptr @f)
  %state = call { ptr, i32 } %prepared(ptr %buffer)
  ret void
}

declare i32 @personality(...)
declare i64 @source()
declare void @may_throw(i64)
declare { ptr, i32 } @prototype(ptr)
declare ptr @allocate(i64)
declare void @deallocate(ptr)
declare ptr @llvm.coro.prepare.retcon(ptr)
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare void @llvm.coro.suspend.retcon.isVoid(...)
declare void @llvm.coro.end(ptr, i1, token)
