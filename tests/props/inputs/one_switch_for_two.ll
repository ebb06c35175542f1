; The results of two suspends meet in a PHI, and one switch decides for both.
; oracle: f(i32 4, i1 true)
; oracle: f(i32 4, i1 false)

define ptr @f(i32 %n, i1 %which) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br label %loop

loop:
  %i = phi i32 [ %n, %entry ], [ %next, %again ]
  %w = phi i1 [ %which, %entry ], [ %other, %again ]
  br i1 %w, label %left, label %right

left:
  %a = call i32 @pick()
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  br label %join

right:
  %b = mul i32 %i, 3
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  br label %join

join:
  %s = phi i8 [ %s1, %left ], [ %s2, %right ]
  %v = phi i32 [ %a, %left ], [ %b, %right ]
  switch i8 %s, label %out [ i8 0, label %again
                             i8 1, label %cleanup ]

again:
  call void @print(i32 %v)
  call void @print(i32 %i)
  %next = add i32 %i, 1
  %other = xor i1 %w, true
  br label %loop

cleanup:
  call void @print(i32 %v)
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
declare i32 @pick()
