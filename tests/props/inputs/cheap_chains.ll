; Chains of casts, additions, comparisons and selects over one value: computed again rather than kept.
; oracle: f(i32 7)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %a = alloca [16 x i32]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %v = call i32 @pick()
  %m = and i32 %v, 7
  %w = zext i32 %m to i64
  %at = getelementptr inbounds [16 x i32], ptr %a, i64 0, i64 %w
  %x = mul i32 %v, 3
  %y = add i32 %x, %n
  %z = xor i32 %y, -1
  %c = icmp slt i32 %z, -20
  %pick = select i1 %c, i32 %z, i32 %y
  %trunc = trunc i32 %pick to i8
  %wide = sext i8 %trunc to i64
  store i32 %y, ptr %at
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %one
    i8 1, label %cleanup ]

one:
  %back = load i32, ptr %at
  call void @print(i32 %back)
  call void @print64(i64 %wide)
  call void @print(i32 %pick)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %two
    i8 1, label %cleanup ]

two:
  %neg = sub i32 0, %pick
  call void @print(i32 %neg)
  %cc = zext i1 %c to i32
  call void @print(i32 %cc)
  store i32 %neg, ptr %at
  %again = load i32, ptr %at
  call void @print(i32 %again)
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
declare void @print64(i64)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @pick()
