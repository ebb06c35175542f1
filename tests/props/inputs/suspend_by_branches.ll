; The result of a suspend is compared and branched on, instead of switched over.
; oracle: f(i32 4)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br label %loop

loop:
  %i = phi i32 [ %n, %entry ], [ %next, %again ]
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %suspended = icmp slt i8 %s, 0
  br i1 %suspended, label %out, label %woken

woken:
  %resumed = icmp eq i8 %s, 0
  br i1 %resumed, label %again, label %cleanup

again:
  call void @print(i32 %i)
  %next = add i32 %i, 1
  br label %loop

cleanup:
  call void @print(i32 %i)
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
