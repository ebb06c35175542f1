; An alloca and a value live across a suspend.
define ptr @f(i32 %x) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %total = alloca i32
  %y = call i32 @next(i32 %x)
  %twice = mul i32 %y, 2
  store i32 %x, ptr %total
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %return [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  %sum = load i32, ptr %total
  %more = add i32 %sum, %twice
  call void @show(i32 %y)
  call void @show(i32 %more)
  br label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %return

return:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @next(i32)
declare void @show(i32)
