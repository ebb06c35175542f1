; LLVM's test: create, resume and destroy in sequence.
define i32 @main() {
  %limit = call i32 @given(i32 3)
  %handle = call ptr @count(i32 %limit)
  call void @llvm.coro.resume(ptr %handle)
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  call void @llvm.coro.destroy(ptr %handle)
  call void @say(i32 %value)
  ret i32 0
}
