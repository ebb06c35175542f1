; Variables whose addresses escape into functions, and one that is only loaded and stored.
; oracle: f(i32 5)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %x = alloca i32
  %y = alloca i64
  %plain = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store i32 %n, ptr %x
  store i64 7, ptr %y
  store i32 %n, ptr %plain
  br label %loop

loop:
  call void @bump(ptr %x)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %again
    i8 1, label %cleanup ]

again:
  call void @mix(ptr %x, ptr %y)
  %v = load i32, ptr %x
  call void @print(i32 %v)
  %w = load i64, ptr %y
  call void @print64(i64 %w)
  %p = load i32, ptr %plain
  %q = mul i32 %p, 3
  store i32 %q, ptr %plain
  call void @print(i32 %q)
  br label %loop

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define internal void @bump(ptr %p) noinline {
  %v = load i32, ptr %p
  %w = add i32 %v, 1
  store i32 %w, ptr %p
  ret void
}

define internal void @mix(ptr %p, ptr %q) noinline {
  %v = load i32, ptr %p
  %w = load i64, ptr %q
  %e = sext i32 %v to i64
  %s = add i64 %w, %e
  store i64 %s, ptr %q
  ret void
}

declare void @print(i32)
declare void @print64(i64)
declare ptr @malloc(i64)
declare void @free(ptr)
