; The ramp writes to a parameter that is passed by value, and the coroutine reads it after a suspend: 2, not 1.
declare i32 @printf(ptr, ...)
declare ptr @malloc(i64)
declare void @free(ptr)
@format = private constant [4 x i8] c"%d\0A\00"

define ptr @f(ptr byval(i32) align 8 %v) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store i32 2, ptr %v
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %go
    i8 1, label %cleanup ]

go:
  %read = load i32, ptr %v
  %printed = call i32 (ptr, ...) @printf(ptr @format, i32 %read)
  br label %cleanup

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define i32 @main() {
  %given = alloca i32, align 8
  store i32 1, ptr %given
  %h = call ptr @f(ptr byval(i32) align 8 %given)
  call void @llvm.coro.resume(ptr %h)
  ret i32 0
}
