; Several coroutines in one module, with the same names inside, driven by one function.
; oracle: main()

define ptr @a(i32 %n) presplitcoroutine {
entry:
  %x = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store i32 %n, ptr %x
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %one
    i8 1, label %cleanup ]

one:
  %v = load i32, ptr %x
  call void @print(i32 %v)
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

define ptr @b(i32 %n) presplitcoroutine {
entry:
  %x = alloca i64
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %w = sext i32 %n to i64
  store i64 %w, ptr %x
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %one
    i8 1, label %cleanup ]

one:
  %v = load i64, ptr %x
  call void @print64(i64 %v)
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

define void @drive(ptr %h) {
entry:
  br label %loop

loop:
  %done = call i1 @llvm.coro.done(ptr %h)
  br i1 %done, label %end, label %more

more:
  call void @llvm.coro.resume(ptr %h)
  br label %loop

end:
  call void @llvm.coro.destroy(ptr %h)
  ret void
}

define void @main() {
  %a = call ptr @a(i32 1)
  %b = call ptr @b(i32 -2)
  call void @drive(ptr %b)
  call void @drive(ptr %a)
  ret void
}

declare void @print(i32)
declare void @print64(i64)
declare ptr @malloc(i64)
declare void @free(ptr)
