; coro.is_in_ramp in the ramp, after a resume, and in the cleanup; code after the end runs in the ramp alone.
; oracle: f(i32 1)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  call void @tell()
  %r0 = call i1 @llvm.coro.is_in_ramp()
  %w0 = zext i1 %r0 to i32
  call void @print(i32 %w0)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %one
    i8 1, label %cleanup ]

one:
  %r1 = call i1 @llvm.coro.is_in_ramp()
  %w1 = zext i1 %r1 to i32
  call void @print(i32 %w1)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %two
    i8 1, label %cleanup ]

two:
  br label %cleanup

cleanup:
  %r2 = call i1 @llvm.coro.is_in_ramp()
  %w2 = zext i1 %r2 to i32
  call void @print(i32 %w2)
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  %more = add i32 %n, 1000
  call void @print(i32 %more)
  ret ptr %hdl
}

declare void @tell()

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
