; A generator of the squares below a limit, and three functions by which C uses it.
declare ptr @malloc(i64)
declare void @free(ptr)

define ptr @squares_start(i64 %limit) presplitcoroutine {
entry:
  %value = alloca i64 ; the promise: the yielded value
  %id = call token @llvm.coro.id(i32 0, ptr %value, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %start = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %start, label %suspended [
    i8 0, label %loop
    i8 1, label %cleanup
  ]

loop:
  %n = phi i64 [ 0, %entry ], [ %next, %yield ]
  %square = mul i64 %n, %n
  %next = add i64 %n, 1
  %more = icmp ult i64 %square, %limit
  br i1 %more, label %yield, label %final

yield:
  store i64 %square, ptr %value
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspended [
    i8 0, label %loop
    i8 1, label %cleanup
  ]

final:
  %f = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %f, label %suspended [
    i8 0, label %never
    i8 1, label %cleanup
  ]

never:
  unreachable

cleanup:
  %frame = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %frame)
  br label %suspended

suspended:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define i32 @squares_next(ptr %generator) { ; 0 at the end
  call void @llvm.coro.resume(ptr %generator)
  %done = call i1 @llvm.coro.done(ptr %generator)
  %more = xor i1 %done, true
  %result = zext i1 %more to i32
  ret i32 %result
}

define i64 @squares_value(ptr %generator) {
  %value = call ptr @llvm.coro.promise(ptr %generator, i32 8, i1 false) ; 8: the alignment of the promise
  %result = load i64, ptr %value
  ret i64 %result
}

define void @squares_destroy(ptr %generator) {
  call void @llvm.coro.destroy(ptr %generator)
  ret void
}
