; Has three kinds of fields: a promise, allocas that are live at different suspends, and spilled values.
declare i64 @read(ptr)
declare void @fill(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)

define ptr @steps(i64 %scale) presplitcoroutine {
entry:
  %result = alloca { i64, i64 }, align 8
  %first = alloca [6 x i64], align 8
  %second = alloca [4 x i64], align 8
  %id = call token @llvm.coro.id(i32 0, ptr %result, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @llvm.lifetime.start.p0(ptr %first)
  call void @fill(ptr %first)
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s0, label %suspended [
    i8 0, label %read.first
    i8 1, label %cleanup
  ]

read.first:
  %sum = call i64 @read(ptr %first)
  %scaled = mul i64 %sum, %scale
  store i64 %scaled, ptr %result
  call void @llvm.lifetime.end.p0(ptr %first)
  %odd = trunc i64 %sum to i1
  br i1 %odd, label %again, label %finish

again:
  call void @llvm.lifetime.start.p0(ptr %second)
  call void @fill(ptr %second)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %suspended [
    i8 0, label %read.second
    i8 1, label %cleanup
  ]

read.second:
  %more = call i64 @read(ptr %second)
  %place = getelementptr inbounds { i64, i64 }, ptr %result, i64 0, i32 1
  store i64 %more, ptr %place
  call void @llvm.lifetime.end.p0(ptr %second)
  br label %finish

finish:
  %final = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %final, label %suspended [
    i8 0, label %trap
    i8 1, label %cleanup
  ]

trap:
  unreachable

cleanup:
  %frame = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %frame)
  br label %suspended

suspended:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
