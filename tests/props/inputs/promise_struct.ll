; A struct as the promise; one member is written before coro.begin.
; oracle: f(i32 4) promise="{ i32, double }"

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %promise = alloca { i32, double }
  %d = getelementptr inbounds { i32, double }, ptr %promise, i32 0, i32 1
  store double 5.000000e-01, ptr %d
  %id = call token @llvm.coro.id(i32 16, ptr %promise, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %wide = zext i32 %size to i64
  %mem = call ptr @malloc(i64 %wide)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store i32 %n, ptr %promise
  br label %loop

loop:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %again
    i8 1, label %cleanup ]

again:
  %v = load i32, ptr %promise
  %w = add i32 %v, 1
  store i32 %w, ptr %promise
  %x = load double, ptr %d
  %y = fadd double %x, 1.0
  store double %y, ptr %d
  br label %loop

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

declare ptr @malloc(i64)
declare void @free(ptr)
