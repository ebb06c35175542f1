; The awaiter names the coroutine to go on with.

define ptr @f(ptr %memory, ptr %awaiter) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %first = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %first, label %suspend [
    i8 0, label %transfer
    i8 1, label %suspend
  ]

transfer:
  %save = call token @llvm.coro.save(ptr %handle)
  call void @llvm.coro.await.suspend.handle(ptr %awaiter, ptr %handle, ptr @hand.over)
  %second = call i8 @llvm.coro.suspend(token %save, i1 false)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare ptr @hand.over(ptr, ptr)

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare token @llvm.coro.save(ptr)
declare void @llvm.coro.await.suspend.handle(ptr, ptr, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
