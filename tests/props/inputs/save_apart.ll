; Work between coro.save and its suspend: a value made there, a call that is given the handle.
; oracle: f(i32 6)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %x = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store i32 0, ptr %x
  br label %loop

loop:
  %i = phi i32 [ %n, %entry ], [ %j, %again ]
  %save = call token @llvm.coro.save(ptr %hdl)
  call void @begin_op(ptr %hdl)
  %made = call i32 @pick()
  store i32 %made, ptr %x
  %s = call i8 @llvm.coro.suspend(token %save, i1 false)
  switch i8 %s, label %out [ i8 0, label %again
    i8 1, label %cleanup ]

again:
  call void @print(i32 %made)
  %in = load i32, ptr %x
  call void @print(i32 %in)
  %j = add i32 %i, %made
  call void @print(i32 %j)
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
declare i32 @pick()
declare void @begin_op(ptr)
