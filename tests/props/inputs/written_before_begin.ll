; A variable written before coro.begin, its address kept by a GEP made before it as well.
; oracle: f(i32 9)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %pair = alloca { i32, i32 }
  %second = getelementptr inbounds { i32, i32 }, ptr %pair, i32 0, i32 1
  store i32 %n, ptr %pair
  store i32 11, ptr %second
  %early = add i32 %n, 100
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %go
    i8 1, label %cleanup ]

go:
  %a = load i32, ptr %pair
  %b = load i32, ptr %second
  call void @print(i32 %a)
  call void @print(i32 %b)
  call void @print(i32 %early)
  store i32 %early, ptr %second
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %more
    i8 1, label %cleanup ]

more:
  %c = load i32, ptr %second
  call void @print(i32 %c)
  %last = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %last, label %out [ i8 0, label %never
    i8 1, label %cleanup ]

never:
  unreachable

cleanup:
  %left = load i32, ptr %second
  call void @print(i32 %left)
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
