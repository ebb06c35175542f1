; Destroying a coroutine that an exception ended is not the same as destroying it at the final suspend: in %again the cleanup
; reports a number that depends on the path. The phi in %report is visited before %again.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s
; UNSUPPORTED: reference

; CHECK-LABEL: define internal fastcc void @f.destroy(
; CHECK: phi i32 [ 7, %{{.*}} ], [ %{{.*}}, %again ]
define ptr @f(i1 %few) presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %cleanup ]
resumed:
  invoke void @work()
          to label %finish unwind label %failed
failed:
  %thrown = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp, label %cleanup, label %propagate
finish:
  %t = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %t, label %out [ i8 0, label %never
                             i8 1, label %cleanup ]
never:
  unreachable
cleanup:
  %how = phi i32 [ 0, %entry ], [ 0, %finish ], [ 1, %failed ]
  br i1 %few, label %report, label %again
again:
  %more = add i32 %how, 5
  br label %report
report:
  %number = phi i32 [ 7, %cleanup ], [ %more, %again ]
  call void @say_i32(i32 %number)
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  %ended = icmp eq i32 %how, 1
  br i1 %ended, label %propagate, label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
propagate:
  resume { ptr, i32 } poison
}

declare void @work()
declare void @say_i32(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @__gxx_personality_v0(...)
declare i1 @llvm.coro.is_in_ramp()
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
