; A coroutine that makes instances of itself, down to none, and walks them.
; oracle: walk(i32 3)

define ptr @walk(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %leaf = icmp eq i32 %n, 0
  br i1 %leaf, label %end, label %node

node:
  %less = sub i32 %n, 1
  %child = call ptr @walk(i32 %less)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %down
    i8 1, label %drop ]

down:
  %done = call i1 @llvm.coro.done(ptr %child)
  br i1 %done, label %self, label %step

step:
  call void @llvm.coro.resume(ptr %child)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %down
    i8 1, label %drop ]

self:
  call void @llvm.coro.destroy(ptr %child)
  call void @print(i32 %n)
  br label %end

drop:
  call void @llvm.coro.destroy(ptr %child)
  br label %cleanup

end:
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
