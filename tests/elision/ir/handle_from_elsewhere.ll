; LLVM's test: the function that resumes and destroys receives the handle, and its caller is noinline.
define internal i32 @use(ptr %handle) noinline {
  call void @llvm.coro.resume(ptr %handle)
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  call void @llvm.coro.destroy(ptr %handle)
  ret i32 %value
}
define i32 @main() {
  %limit = call i32 @given(i32 3)
  %handle = call ptr @count(i32 %limit)
  %value = call i32 @use(ptr %handle)
  call void @say(i32 %value)
  ret i32 0
}
