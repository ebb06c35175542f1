; Variables with lifetime markers: one lives between suspends only, one across a suspend, one is given away
; twice in a loop.
; oracle: f(i32 4)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %short = alloca i32
  %long = alloca i32
  %looped = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br label %loop

loop:
  %i = phi i32 [ %n, %entry ], [ %next, %again ]
  call void @llvm.lifetime.start.p0(ptr %short)
  store i32 %i, ptr %short
  call void @show(ptr %short)
  call void @llvm.lifetime.end.p0(ptr %short)
  call void @llvm.lifetime.start.p0(ptr %long)
  store i32 %i, ptr %long
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %again
    i8 1, label %cleanup ]

again:
  %kept = load i32, ptr %long
  call void @llvm.lifetime.end.p0(ptr %long)
  call void @llvm.lifetime.start.p0(ptr %looped)
  store i32 %kept, ptr %looped
  call void @show(ptr %looped)
  call void @llvm.lifetime.end.p0(ptr %looped)
  %next = add i32 %kept, 1
  br label %loop

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define internal void @show(ptr %p) noinline {
  %v = load i32, ptr %p
  call void @print(i32 %v)
  ret void
}

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
