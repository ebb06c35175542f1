; An array on the frame, filled through computed indices between suspends.
; oracle: f(i32 2)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %a = alloca [8 x i32]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 32, i1 false)
  br label %loop

loop:
  %i = phi i32 [ %n, %entry ], [ %i.next, %again ]
  %slot = and i32 %i, 7
  %at = getelementptr inbounds [8 x i32], ptr %a, i64 0, i32 %slot
  store i32 %i, ptr %at
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %again
    i8 1, label %cleanup ]

again:
  %back = load i32, ptr %at
  call void @print(i32 %back)
  %before = getelementptr [8 x i32], ptr %a, i64 0, i32 %n
  %old = load i32, ptr %before
  call void @print(i32 %old)
  %i.next = add i32 %i, 3
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
declare ptr @malloc(i64)
declare void @free(ptr)
