; From the handle to the promise and back: 42, which the coroutine stored; then 43, which the caller stored and the
; coroutine prints when it is resumed through the handle that the promise's address gives.

define ptr @f() presplitcoroutine {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call noalias ptr @llvm.coro.begin(token %id, ptr %mem)
  store i32 42, ptr %promise
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [ i8 0, label %again
                                 i8 1, label %cleanup ]

again:
  %told = load i32, ptr %promise
  call void @print(i32 %told)
  %last = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %last, label %suspend [ i8 0, label %never
                                    i8 1, label %cleanup ]

never:
  unreachable

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define i32 @main() {
  %hdl = call ptr @f()
  %promise = call ptr @llvm.coro.promise(ptr %hdl, i32 4, i1 false)
  %v = load i32, ptr %promise
  call void @print(i32 %v)
  store i32 43, ptr %promise
  %back = call ptr @llvm.coro.promise(ptr %promise, i32 4, i1 true)
  call void @llvm.coro.resume(ptr %back)
  call void @llvm.coro.destroy(ptr %back)
  ret i32 0
}

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
