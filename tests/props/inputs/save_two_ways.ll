; Two saves on two paths that meet in one suspend would be ill-formed; here each path has both.
; oracle: f(i32 6)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br label %loop

loop:
  %i = phi i32 [ %n, %entry ], [ %i1, %resume1 ], [ %i2, %resume2 ]
  %c = call i1 @cond()
  br i1 %c, label %left, label %right

left:
  %save1 = call token @llvm.coro.save(ptr %hdl)
  br label %left.work

left.work:
  call void @begin_op(ptr %hdl)
  %s1 = call i8 @llvm.coro.suspend(token %save1, i1 false)
  switch i8 %s1, label %out [ i8 0, label %resume1
    i8 1, label %cleanup ]

resume1:
  %i1 = add i32 %i, 1
  call void @print(i32 %i1)
  br label %loop

right:
  %twice = mul i32 %i, 2
  %save2 = call token @llvm.coro.save(ptr null)
  call void @print(i32 %twice)
  %s2 = call i8 @llvm.coro.suspend(token %save2, i1 false)
  switch i8 %s2, label %out [ i8 0, label %resume2
    i8 1, label %cleanup ]

resume2:
  %i2 = sub i32 %twice, 1
  call void @print(i32 %i2)
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
declare i1 @cond()
declare void @begin_op(ptr)
