; Memory on the heap that a handler allocates, and that a handler and a cleanup free: each of these calls must name the pad
; that contains it. The block of @shared that is executed in a pad and outside of pads calls @free without a pad. That
; would be undefined in the pad, so that the call of @shared.drop before it names none either.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: warning
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: [[PAD:%.*]] = catchpad within
; CHECK: call ptr @malloc({{.*}}) [ "funclet"(token [[PAD]]) ]
; CHECK: call void @f.drop({{.*}}) [ "funclet"(token [[PAD]]) ]
; CHECK: [[OUT:%.*]] = cleanuppad within none
; CHECK: call void @f.release({{.*}}) [ "funclet"(token [[OUT]]) ]
define ptr @f(i64 %n) presplitcoroutine personality ptr @__CxxFrameHandler3 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %token = call token @llvm.coro.alloca.alloc.i64(i64 %n, i32 8)
  %room = call ptr @llvm.coro.alloca.get(token %token)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [ i8 0, label %resume
                                      i8 1, label %cleanup ]
resume:
  invoke void @use(ptr %room)
          to label %cleanup unwind label %dispatch
dispatch:
  %handlers = catchswitch within none [label %handler] unwind label %thrown
handler:
  %pad = catchpad within %handlers [ptr null, i32 64, ptr null]
  %other = alloca i8, i64 %n
  invoke void @use(ptr %other) [ "funclet"(token %pad) ]
          to label %used unwind label %thrown
used:
  call void @llvm.coro.alloca.free(token %token) [ "funclet"(token %pad) ]
  catchret from %pad to label %again
again:
  %second = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %second, label %suspend [ i8 0, label %last
                                      i8 1, label %cleanup ]
last:
  invoke void @use(ptr %other)
          to label %cleanup unwind label %thrown
thrown:
  %out = cleanuppad within none []
  %left = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %left) [ "funclet"(token %out) ]
  cleanupret from %out unwind to caller
cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend
suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @shared(i64 %n, i1 %c) presplitcoroutine personality ptr @__CxxFrameHandler3 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %token = call token @llvm.coro.alloca.alloc.i64(i64 %n, i32 8)
  %room = call ptr @llvm.coro.alloca.get(token %token)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [ i8 0, label %resume
                                      i8 1, label %cleanup ]
resume:
  invoke void @use(ptr %room)
          to label %cleanup unwind label %dispatch
dispatch:
  %handlers = catchswitch within none [label %handler] unwind to caller
handler:
  %pad = catchpad within %handlers [ptr null, i32 64, ptr null]
  br i1 %c, label %cleanup, label %leave
leave:
  catchret from %pad to label %cleanup
cleanup:
  call void @llvm.coro.alloca.free(token %token)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend
suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare void @use(ptr)
declare i32 @__CxxFrameHandler3(...)
declare ptr @malloc(i64)
declare void @free(ptr)
