; A cleanup that destroy runs for two reasons: a new exception propagates after it; if an exception ended the coroutine
; before, there is none, and the frame does not keep one. Loads on the path read the original memory.
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s
; UNSUPPORTED: reference

; CHECK-LABEL: define ptr @f(
; CHECK: call ptr @malloc(i64 24)
; CHECK-LABEL: define internal fastcc void @f.destroy(
; CHECK: phi ptr [ %thrown, %pad ]
; CHECK: load i32, ptr
; CHECK: resume { ptr, i32 }
; CHECK: ramp.unwound:
; CHECK-NEXT: call void @drop()
; CHECK-NEXT: br label %merge.unwound
; CHECK: merge.unwound:
; CHECK-NEXT: call void @free(ptr %handle)
; CHECK-NEXT: br label %destroyed
define ptr @f() presplitcoroutine personality ptr @personality {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %where = call ptr @where()
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]
resumed:
  invoke void @work()
          to label %out unwind label %ended
ended:
  %landing = landingpad { ptr, i32 }
          cleanup
  %exception = extractvalue { ptr, i32 } %landing, 0
  call void @llvm.coro.end(ptr null, i1 true, token none)
  %in.ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %in.ramp, label %ramp, label %onwards
ramp:
  call void @drop()
  br label %merge
destroyed:
  invoke void @work()
          to label %freeing unwind label %pad
pad:
  %other = landingpad { ptr, i32 }
          cleanup
  %thrown = extractvalue { ptr, i32 } %other, 0
  br label %merge
merge:
  %either = phi ptr [ %exception, %ramp ], [ %thrown, %pad ]
  %address = phi ptr [ %where, %ramp ], [ %where, %pad ]
  %kind = load i32, ptr %address
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %onwards
onwards:
  %any = phi ptr [ %either, %merge ], [ %exception, %ended ]
  %number = phi i32 [ %kind, %merge ], [ 0, %ended ]
  %half = insertvalue { ptr, i32 } poison, ptr %any, 0
  %whole = insertvalue { ptr, i32 } %half, i32 %number, 1
  resume { ptr, i32 } %whole
freeing:
  %memory.freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %memory.freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
declare i32 @personality(...)
declare ptr @where()
declare void @work()
declare void @drop() nounwind
declare ptr @malloc(i64)
declare void @free(ptr) nounwind
