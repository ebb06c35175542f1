; A struct that is passed by value belongs to the coroutine: the caller's copy changes, the coroutine's does
; not.
; oracle: main()

define ptr @f(ptr byval({ i32, i64 }) align 8 %s) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %second = getelementptr inbounds { i32, i64 }, ptr %s, i32 0, i32 1
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %one
    i8 1, label %cleanup ]

one:
  %a = load i32, ptr %s
  %b = load i64, ptr %second
  call void @print(i32 %a)
  call void @print64(i64 %b)
  store i32 5, ptr %s
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %two
    i8 1, label %cleanup ]

two:
  %c = load i32, ptr %s
  call void @print(i32 %c)
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

define void @main() {
  %s = alloca { i32, i64 }
  %second = getelementptr inbounds { i32, i64 }, ptr %s, i32 0, i32 1
  store i32 1, ptr %s
  store i64 2, ptr %second
  %h = call ptr @f(ptr byval({ i32, i64 }) align 8 %s)
  store i32 100, ptr %s
  store i64 200, ptr %second
  call void @llvm.coro.resume(ptr %h)
  %v = load i32, ptr %s
  call void @print(i32 %v)
  call void @llvm.coro.resume(ptr %h)
  call void @llvm.coro.destroy(ptr %h)
  ret void
}

declare void @print(i32)
declare void @print64(i64)
declare ptr @malloc(i64)
declare void @free(ptr)
