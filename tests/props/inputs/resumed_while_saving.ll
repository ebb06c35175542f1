; Operations that resume the coroutine before they return, so that its parts run inside one another.
; oracle: main()

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %x = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store i32 %n, ptr %x
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %again ]
  %save = call token @llvm.coro.save(ptr null)
  call void @op(ptr %hdl)
  %s = call i8 @llvm.coro.suspend(token %save, i1 false)
  switch i8 %s, label %out [ i8 0, label %again
    i8 1, label %cleanup ]

again:
  %v = load i32, ptr %x
  %w = add i32 %v, 10
  store i32 %w, ptr %x
  call void @print(i32 %w)
  call void @print(i32 %i)
  %next = add i32 %i, 1
  br label %loop

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

@left = internal global i32 0

define internal void @op(ptr %h) noinline {
  %l = load i32, ptr @left
  %none = icmp eq i32 %l, 0
  br i1 %none, label %wait, label %now

now:
  %less = sub i32 %l, 1
  store i32 %less, ptr @left
  call void @llvm.coro.resume(ptr %h)
  ret void

wait:
  ret void
}

define void @main() {
  store i32 3, ptr @left
  %h = call ptr @f(i32 100)
  call void @print(i32 -1)
  store i32 2, ptr @left
  call void @llvm.coro.resume(ptr %h)
  call void @print(i32 -2)
  call void @llvm.coro.resume(ptr %h)
  call void @llvm.coro.destroy(ptr %h)
  ret void
}

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
