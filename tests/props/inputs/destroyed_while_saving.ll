; An operation that destroys the coroutine before it returns: nothing of the frame may be touched after it.
; oracle: main()

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %x = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store i32 %n, ptr %x
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s0, label %out [ i8 0, label %start
    i8 1, label %cleanup ]

start:
  %v = load i32, ptr %x
  call void @print(i32 %v)
  %save = call token @llvm.coro.save(ptr null)
  call void @llvm.coro.await.suspend.void(ptr %x, ptr %hdl, ptr @op)
  %s1 = call i8 @llvm.coro.suspend(token %save, i1 false)
  switch i8 %s1, label %out [ i8 0, label %never
    i8 1, label %cleanup ]

never:
  %w = load i32, ptr %x
  call void @print(i32 %w)
  br label %cleanup

cleanup:
  %z = load i32, ptr %x
  call void @print(i32 %z)
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define internal void @op(ptr %awaiter, ptr %h) noinline {
  call void @llvm.coro.destroy(ptr %h)
  call void @print(i32 -1)
  ret void
}

define void @main() {
  %h = call ptr @f(i32 100)
  call void @llvm.coro.resume(ptr %h)
  call void @print(i32 -2)
  ret void
}

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
