; Values that are not computed again: fneg, freeze, loads, intrinsics.
; oracle: f(double 1.25, i32 -5)

define ptr @f(double %d, i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %neg = fneg double %d
  %fr = freeze i32 %n
  %abs = call i32 @llvm.abs.i32(i32 %n, i1 false)
  %max = call i32 @llvm.smax.i32(i32 %n, i32 -3)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %one
    i8 1, label %cleanup ]

one:
  call void @printd(double %neg)
  call void @print(i32 %fr)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %two
    i8 1, label %cleanup ]

two:
  call void @print(i32 %abs)
  call void @print(i32 %max)
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
declare void @printd(double)
declare ptr @malloc(i64)
declare void @free(ptr)
