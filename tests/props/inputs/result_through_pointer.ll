; The ramp returns nothing and stores the handle where it is told; the argument is not needed after.
; oracle: main()

define void @f(ptr %result, i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store ptr %hdl, ptr %result
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %one
    i8 1, label %cleanup ]

one:
  call void @print(i32 %n)
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
  ret void
}

define void @main() {
  %slot = alloca ptr
  call void @f(ptr %slot, i32 5)
  %h = load ptr, ptr %slot
  call void @llvm.coro.resume(ptr %h)
  %done = call i1 @llvm.coro.done(ptr %h)
  %bit = zext i1 %done to i32
  call void @print(i32 %bit)
  call void @llvm.coro.destroy(ptr %h)
  ret void
}

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
