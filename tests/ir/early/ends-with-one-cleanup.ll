; Ends with the same cleanup share a suspend, which selects the exception that propagates. Ends for which the cleanup
; differs, because a value at its start does, have suspends of their own. All of this is done once only.
; RUN: pycoro opt %s -passes=coro-early,verify -S | FileCheck %s
; RUN: pycoro opt %s -passes=coro-early,coro-early,verify -S | FileCheck %s
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split)' -check-lowering -S | FileCheck %s --check-prefix=SPLIT

; CHECK-LABEL: define ptr @copied(
; CHECK: br i1 %ramp1, label %cleanup, label %unwound
; CHECK: br i1 %ramp2, label %cleanup, label %unwound
; CHECK: cleanup.unwound:
; CHECK-NOT: cleanup.unwound{{.*}}:
; CHECK: {{^}}unwound:
; CHECK-NEXT: [[PROPAGATED:%.*]] = phi { ptr, i32 } [ %e1, %thrown1 ], [ %e2, %thrown2 ]
; CHECK-NEXT: call i8 @llvm.coro.suspend(
; CHECK: i8 1, label %cleanup.unwound
; CHECK: phi { ptr, i32 } [ %exception, %cleanup ], [ [[PROPAGATED]], %unwound ]
; CHECK-LABEL: define ptr @different(
; CHECK: br i1 %ramp1, label %cleanup, label %[[FIRST:unwound[0-9]*]]
; CHECK: br i1 %ramp2, label %cleanup, label %[[SECOND:unwound[0-9]*]]
; CHECK: call void @print(i32 {{[12]}})
; CHECK: call void @print(i32 {{[12]}})
; CHECK: call void @print(i32 %value)
; CHECK: }

; SPLIT-LABEL: define {{.*}}@copied.resume(
; SPLIT: store ptr null
; SPLIT: phi { ptr, i32 }
; SPLIT: resume { ptr, i32 }
; SPLIT-LABEL: define {{.*}}@copied.destroy(
; SPLIT: {{^}}destroy.done:
; SPLIT-NOT: {{^}}destroy.done
; SPLIT-LABEL: define {{.*}}@copied.cleanup(
; SPLIT-LABEL: define {{.*}}@different.destroy(
; SPLIT: {{^}}destroy.done:
; SPLIT: {{^}}destroy.done{{[0-9]+}}:

define ptr @copied(i32 %n) presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %over
  ]

resume:
  invoke void @may_throw()
          to label %next unwind label %thrown1

next:
  invoke void @may_throw()
          to label %over unwind label %thrown2

thrown1:
  %e1 = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp1 = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp1, label %cleanup, label %eh.resume

thrown2:
  %e2 = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp2 = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp2, label %cleanup, label %eh.resume

over:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

cleanup:
  %exception = phi { ptr, i32 } [ %e1, %thrown1 ], [ %e2, %thrown2 ]
  call void @print(i32 %n)
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %left)
  br label %eh.resume

eh.resume:
  %propagated = phi { ptr, i32 } [ %exception, %cleanup ], [ %e1, %thrown1 ], [ %e2, %thrown2 ]
  resume { ptr, i32 } %propagated
}

define ptr @different() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %over
  ]

resume:
  invoke void @may_throw()
          to label %next unwind label %thrown1

next:
  invoke void @may_throw()
          to label %over unwind label %thrown2

thrown1:
  %e1 = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp1 = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp1, label %cleanup, label %eh.resume

thrown2:
  %e2 = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %ramp2 = call i1 @llvm.coro.is_in_ramp()
  br i1 %ramp2, label %cleanup, label %eh.resume

over:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

cleanup:
  %exception = phi { ptr, i32 } [ %e1, %thrown1 ], [ %e2, %thrown2 ]
  %value = phi i32 [ 1, %thrown1 ], [ 2, %thrown2 ]
  call void @print(i32 %value)
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %left)
  br label %eh.resume

eh.resume:
  %propagated = phi { ptr, i32 } [ %exception, %cleanup ], [ %e1, %thrown1 ], [ %e2, %thrown2 ]
  resume { ptr, i32 } %propagated
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i32 @llvm.coro.size.i32()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare i1 @llvm.coro.is_in_ramp()
declare i32 @__gxx_personality_v0(...)
declare void @may_throw()
declare void @print(i32)
declare ptr @malloc(i32)
declare void @free(ptr)
