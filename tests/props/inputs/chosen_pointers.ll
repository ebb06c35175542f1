; Pointers that a select and a PHI choose between two variables, used after suspends.
; oracle: f(i1 true)
; oracle: f(i1 false)

define ptr @f(i1 %which) presplitcoroutine {
entry:
  %x = alloca i32
  %y = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store i32 1, ptr %x
  store i32 2, ptr %y
  %p = select i1 %which, ptr %x, ptr %y
  br i1 %which, label %left, label %right

left:
  store i32 10, ptr %x
  br label %join

right:
  store i32 20, ptr %y
  br label %join

join:
  %q = phi ptr [ %y, %left ], [ %x, %right ]
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %one
    i8 1, label %cleanup ]

one:
  %a = load i32, ptr %p
  %b = load i32, ptr %q
  call void @print(i32 %a)
  call void @print(i32 %b)
  store i32 33, ptr %p
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %two
    i8 1, label %cleanup ]

two:
  %c = load i32, ptr %x
  %d = load i32, ptr %y
  call void @print(i32 %c)
  call void @print(i32 %d)
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
