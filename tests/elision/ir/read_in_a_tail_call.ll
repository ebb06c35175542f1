; A musttail call, which discards the stack frame, reads its promise.
define internal void @read(ptr %promise) noinline {
  %scratch = alloca [64 x i32]
  call void @llvm.memset.p0.i64(ptr %scratch, i8 7, i64 256, i1 true)
  %value = load i32, ptr %promise
  call void @say(i32 %value)
  ret void
}
define internal void @start(ptr %unused) noinline {
  %handle = call ptr @count(i32 3)
  call void @llvm.coro.resume(ptr %handle)
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  musttail call void @read(ptr %promise)
  ret void
}
define i32 @main() {
  call void @start(ptr null)
  ret i32 0
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
