; Prints a number, suspends, prints the square that it computed before the suspend, and continues with the next number.
declare void @print(i64)
declare i64 @square(i64)
declare ptr @malloc(i64)
declare void @free(ptr)

define ptr @squares(i64 %from) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop

loop:
  %n = phi i64 [ %from, %entry ], [ %next, %resumed ]
  %square = call i64 @square(i64 %n)
  call void @print(i64 %n)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspended [
    i8 0, label %resumed
    i8 1, label %cleanup
  ]

resumed:
  call void @print(i64 %square)
  %next = add i64 %n, 1
  br label %loop

cleanup:
  %frame = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %frame)
  br label %suspended

suspended:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
