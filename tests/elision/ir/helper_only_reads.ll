; A helper with the handle reads the promise; the coroutine is resumed and destroyed through a global.
@kept = internal global ptr null
define internal i32 @read(ptr %handle) noinline {
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  ret i32 %value
}
define internal void @start() noinline {
  %handle = call ptr @count(i32 3)
  store ptr %handle, ptr @kept
  call void @llvm.coro.resume(ptr %handle)
  %value = call i32 @read(ptr %handle)
  call void @say(i32 %value)
  ret void
}
define i32 @main() {
  call void @start()
  %handle = load ptr, ptr @kept
  call void @llvm.coro.resume(ptr %handle)
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  call void @say(i32 %value)
  call void @llvm.coro.destroy(ptr %handle)
  ret i32 0
}
