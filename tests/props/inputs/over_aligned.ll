; Variables aligned to 32 and 64: the frame is allocated with coro.align, and the addresses must be so aligned.
; oracle: f(i32 4)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %x = alloca i32, align 64
  %y = alloca [3 x i64], align 32
  %z = alloca i8
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %align = call i64 @llvm.coro.align.i64()
  %mem = call ptr @aligned_alloc(i64 %align, i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store i32 %n, ptr %x
  store i64 5, ptr %y
  store i8 1, ptr %z
  call void @print_low(ptr %x, i64 63)
  call void @print_low(ptr %y, i64 31)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %one
    i8 1, label %cleanup ]

one:
  call void @print_low(ptr %x, i64 63)
  call void @print_low(ptr %y, i64 31)
  %v = load i32, ptr %x
  call void @print(i32 %v)
  %last = getelementptr [3 x i64], ptr %y, i64 0, i64 2
  store i64 77, ptr %last
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %two
    i8 1, label %cleanup ]

two:
  %w = load i64, ptr %last
  call void @print64(i64 %w)
  %b = load i8, ptr %z
  call void @print8(i8 %b)
  store i32 9, ptr %x, align 64
  call void @print_low(ptr %x, i64 63)
  %fin = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %fin, label %out [ i8 0, label %never
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

define internal void @print_low(ptr %p, i64 %mask) noinline {
  %a = ptrtoint ptr %p to i64
  %low = and i64 %a, %mask
  call void @print64(i64 %low)
  ret void
}

declare void @print(i32)
declare void @print8(i8)
declare void @print64(i64)
declare void @free(ptr)
declare ptr @aligned_alloc(i64, i64)
