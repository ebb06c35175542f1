; Resume and destroy lead to the same block, which tells them apart by the result.
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
  %v = call i32 @pick()
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %both
                             i8 1, label %both ]

both:
  %twice = phi i32 [ %v, %loop ], [ %v, %loop ]
  call void @print(i32 %twice)
  call void @print8(i8 %s)
  %resumed = icmp eq i8 %s, 0
  br i1 %resumed, label %again, label %cleanup

again:
  %next = add i32 %i, %twice
  call void @print(i32 %next)
  br label %loop

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

declare void @print(i32)
declare void @print8(i8)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @pick()
