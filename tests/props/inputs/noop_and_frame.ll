; coro.noop resumed and destroyed, coro.frame, and a coroutine that asks whether another is done.
; oracle: f(i32 1)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %noop = call ptr @llvm.coro.noop()
  call void @llvm.coro.resume(ptr %noop)
  %self = call ptr @llvm.coro.frame()
  %same = icmp eq ptr %self, %hdl
  %bit = zext i1 %same to i32
  call void @print(i32 %bit)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %one
    i8 1, label %cleanup ]

one:
  call void @llvm.coro.resume(ptr %noop)
  call void @llvm.coro.destroy(ptr %noop)
  %still = icmp eq ptr %self, %hdl
  %bit2 = zext i1 %still to i32
  call void @print(i32 %bit2)
  %done = call i1 @llvm.coro.done(ptr %noop)
  %bit3 = zext i1 %done to i32
  call void @print(i32 %bit3)
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
declare ptr @malloc(i64)
declare void @free(ptr)
