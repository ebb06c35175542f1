; @f.destroy executes the phi %thrown at two places: in a copy of %propagate after an exception in a destructor, and, without
; code, where the coroutine is destroyed after an exception.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: the lowering is not checked
; CHECK-LABEL: define internal fastcc void @f.destroy(
; CHECK: phi { ptr, i32 }
; CHECK: destroy.done:
define ptr @f(i32 %n) presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  invoke void @work(i32 0)
          to label %started unwind label %early
early:
  %before = landingpad { ptr, i32 }
          cleanup
  br label %unwound
started:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %destroyed ]
resumed:
  invoke void @work(i32 %n)
          to label %final unwind label %failed
destroyed:
  invoke void @work(i32 1)
          to label %cleanup unwind label %failed
failed:
  %after = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %unwound, label %propagate
unwound:
  %exception = phi { ptr, i32 } [ %before, %early ], [ %after, %failed ]
  %freed.unwound = call ptr @llvm.coro.free(token %id, ptr %handle)
  %exists.unwound = icmp ne ptr %freed.unwound, null
  br i1 %exists.unwound, label %free.unwound, label %propagate
free.unwound:
  call void @free(ptr %freed.unwound)
  br label %propagate
propagate:
  %thrown = phi { ptr, i32 } [ %exception, %unwound ], [ %exception, %free.unwound ], [ %after, %failed ]
  resume { ptr, i32 } %thrown
final:
  %t = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %t, label %out [ i8 0, label %dead
                             i8 1, label %cleanup ]
dead:
  unreachable
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare i32 @__gxx_personality_v0(...)
declare void @work(i32)
declare void @free(ptr)
declare ptr @malloc(i64)
