; Variables whose loads and stores may not be moved or dropped, live across suspends, and a variable of another
; type on the same bytes.
; oracle: f(i64 5)

define ptr @f(i64 %n) presplitcoroutine {
entry:
  %x = alloca i64
  %bytes = alloca [8 x i8]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store volatile i64 %n, ptr %x
  store i64 %n, ptr %bytes, align 1
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %one
    i8 1, label %cleanup ]

one:
  %v = load volatile i64, ptr %x
  call void @print64(i64 %v)
  %at = getelementptr i8, ptr %bytes, i64 %v
  store i8 9, ptr %at
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %two
    i8 1, label %cleanup ]

two:
  %w = load volatile i64, ptr %x
  call void @print64(i64 %w)
  %whole = load i64, ptr %bytes, align 1
  call void @print64(i64 %whole)
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

declare void @print64(i64)
declare ptr @malloc(i64)
declare void @free(ptr)
