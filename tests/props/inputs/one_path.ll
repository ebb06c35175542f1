; A value crosses a suspend on one path only; on the other it is used before.
; oracle: f(i1 true, i32 3)
; oracle: f(i1 false, i32 3)

define ptr @f(i1 %which, i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %v = call i32 @pick()
  br i1 %which, label %wait, label %go

wait:
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %resumed
    i8 1, label %cleanup ]

resumed:
  call void @print(i32 %n)
  br label %go

go:
  %u = phi i32 [ 0, %entry ], [ %v, %resumed ]
  call void @print(i32 %v)
  call void @print(i32 %u)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %end
    i8 1, label %cleanup ]

end:
  call void @print(i32 %u)
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
declare i32 @pick()
