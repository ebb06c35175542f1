; The result of a suspend outlives the next suspend.
; oracle: f()

define ptr @f() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  %tagged = add i8 %s1, 40
  switch i8 %s1, label %out [ i8 0, label %one
    i8 1, label %cleanup.one ]

one:
  call void @print8(i8 %s1)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %two
    i8 1, label %cleanup.two ]

two:
  %none = phi i8 [ %s2, %one ]
  call void @print8(i8 %s1)
  call void @print8(i8 %tagged)
  call void @print8(i8 %none)
  %last = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %last, label %out [ i8 0, label %never
    i8 1, label %cleanup ]

never:
  unreachable

cleanup.one:
  call void @print8(i8 %tagged)
  br label %cleanup

cleanup.two:
  call void @print8(i8 %s2)
  call void @print8(i8 %tagged)
  br label %cleanup

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

declare void @print8(i8)
declare ptr @malloc(i64)
declare void @free(ptr)
