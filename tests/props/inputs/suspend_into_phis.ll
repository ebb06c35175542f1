; The resume edge of a suspend goes straight into a loop header with PHIs, as does the destroy edge.
; oracle: f(i32 2)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br label %loop

loop:
  %i = phi i32 [ %n, %entry ], [ %other, %second ]
  %k = phi i32 [ 3, %entry ], [ 2, %second ]
  %next = add i32 %i, %k
  call void @print(i32 %i)
  call void @print(i32 %k)
  %big = icmp sgt i32 %i, 5
  br i1 %big, label %second, label %first

first:
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %back
    i8 1, label %gone ]

back:
  br label %second

second:
  %other = phi i32 [ %next, %loop ], [ %i, %back ]
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %loop
    i8 1, label %gone ]

gone:
  %why = phi i32 [ 71, %first ], [ 72, %second ]
  %state = phi i32 [ %next, %first ], [ %other, %second ]
  call void @print(i32 %why)
  call void @print(i32 %state)
  br label %cleanup

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
