; A phi of an exception's edges is spilled after the landing pad, which must be first.
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %s -verify-each | FileCheck %s
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup' %s -verify-each | FileCheck %s

; CHECK-LABEL: define ptr @f(
; CHECK: %chosen = phi i32 [ 0, {{.*}} ], [ %once, {{.*}} ]
; CHECK-NEXT: landingpad
; CHECK-NEXT: catch ptr null
; CHECK-NEXT: store i32 %chosen, ptr
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: call void @say(i32 %chosen.reload)
; CHECK: %chosen.reload = load i32, ptr

define ptr @f() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %once = invoke i32 @may_throw(i32 0)
          to label %more unwind label %pad
more:
  %twice = invoke i32 @may_throw(i32 %once)
          to label %end unwind label %pad
pad:
  %chosen = phi i32 [ 0, %entry ], [ %once, %more ]
  %thrown = landingpad { ptr, i32 }
          catch ptr null
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %resume
                             i8 1, label %end ]
resume:
  call void @say(i32 %chosen)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}

declare i32 @__gxx_personality_v0(...)
declare i32 @may_throw(i32)
declare void @say(i32)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
