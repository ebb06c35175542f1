; An end of the unwinding kind on a path of the ramp that fails early, besides the usual one.
; oracle: main()

define ptr @f(i1 %fails, i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br i1 %fails, label %fail, label %go

fail:
  %early = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %early)
  call void @llvm.coro.end(ptr %hdl, i1 true, token none)
  call void @print(i32 -1)
  ret ptr null

go:
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
  ret ptr %hdl
}

define void @main() {
  %none = call ptr @f(i1 true, i32 1)
  %null = icmp eq ptr %none, null
  %bit = zext i1 %null to i32
  call void @print(i32 %bit)
  %h = call ptr @f(i1 false, i32 2)
  call void @llvm.coro.resume(ptr %h)
  %done = call i1 @llvm.coro.done(ptr %h)
  %bit2 = zext i1 %done to i32
  call void @print(i32 %bit2)
  call void @llvm.coro.destroy(ptr %h)
  ret void
}

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
