; A save that no suspend uses, and a frame pointer that escapes before anything is saved.
; oracle: f(i32 3)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %lost = call token @llvm.coro.save(ptr %hdl)
  call void @begin_op(ptr %hdl)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %one
    i8 1, label %cleanup ]

one:
  call void @print(i32 %n)
  call void @begin_op(ptr %hdl)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %two
    i8 1, label %cleanup ]

two:
  %same = icmp eq ptr %hdl, null
  %bit = zext i1 %same to i32
  call void @print(i32 %bit)
  %last = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %last, label %out [ i8 0, label %never
    i8 1, label %cleanup ]

never:
  unreachable

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
declare void @begin_op(ptr)
