; Where control may have suspended on some of the paths to a place, the checker separates these paths: by a phi of the
; results of two suspends (@one_switch), by a phi of constants (@met_again, and @branches_later before other blocks), and because a suspended coroutine does not
; suspend again before it is resumed (@after_end: its second suspend only follows the suspend after the unwind end).
; @late computes a value where control may have suspended, and spills it before the next suspend.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: warning
; CHECK-LABEL: define internal fastcc void @late.resume(
; CHECK: %v = call i32 @next()
; CHECK-NEXT: switch
; CHECK: resumed:
; CHECK-NEXT: store i32 %v, ptr %v.spill.addr
define ptr @one_switch(i32 %n, i1 %which) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop
loop:
  %i = phi i32 [ %n, %entry ], [ %next, %again ]
  %w = phi i1 [ %which, %entry ], [ %other, %again ]
  br i1 %w, label %left, label %right
left:
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  br label %join
right:
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  br label %join
join:
  %s = phi i8 [ %s1, %left ], [ %s2, %right ]
  switch i8 %s, label %out [ i8 0, label %again
                             i8 1, label %cleanup ]
again:
  call void @use(i32 %i)
  %next = add i32 %i, 1
  %other = xor i1 %w, true
  br label %loop
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @met_again() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %join [ i8 0, label %resumed
                               i8 1, label %cleanup ]
resumed:
  br label %join
join:
  %goes.on = phi i1 [ false, %entry ], [ true, %resumed ]
  call void @use(i32 1)
  br i1 %goes.on, label %more, label %out
more:
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %cleanup
                              i8 1, label %cleanup ]
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @branches_later(i1 %ready, i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %place = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %place)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %resumed
                              i8 1, label %cleanup ]
resumed:
  br i1 %ready, label %ended, label %last
last:
  %s2 = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s2, label %out [ i8 0, label %ended
                              i8 1, label %cleanup ]
ended:
  br label %out
out:
  %goes.on = phi i1 [ true, %ended ], [ false, %last ], [ false, %begin ]
  %in.ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %in.ramp, label %ramp, label %both
ramp:
  call void @use(i32 0)
  br label %both
both:
  br i1 %goes.on, label %cleanup, label %return
cleanup:
  call void @use(i32 %n)
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %return
return:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @after_end() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %memory = call ptr @malloc(i64 64)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %out [ i8 0, label %resumed
                                  i8 1, label %cleanup ]
resumed:
  invoke void @may_throw()
          to label %cleanup unwind label %thrown
thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr %handle, i1 true, token none)
  %is.ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %is.ramp, label %drop, label %clone
clone:
  %again = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %again, label %out [ i8 0, label %drop
                                 i8 1, label %drop ]
drop:
  %thrown.memory = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %thrown.memory)
  resume { ptr, i32 } %exception
cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %block)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @late(i1 %which) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop
loop:
  br i1 %which, label %left, label %right
left:
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  br label %join
right:
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  br label %join
join:
  %s = phi i8 [ %s1, %left ], [ %s2, %right ]
  %v = call i32 @next()
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %cleanup ]
resumed:
  %s3 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s3, label %out [ i8 0, label %again
                              i8 1, label %cleanup ]
again:
  call void @use(i32 %v)
  br label %loop
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare void @use(i32)
declare i32 @next()
declare void @may_throw()
declare i32 @__gxx_personality_v0(...)
declare ptr @malloc(i64)
declare void @free(ptr)
