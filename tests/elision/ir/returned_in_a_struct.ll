; A function that is not inlined returns the handle in a struct with another value.
define internal { ptr, i32 } @make(i32 %limit) noinline {
  %handle = call ptr @count(i32 %limit)
  %a = insertvalue { ptr, i32 } poison, ptr %handle, 0
  %b = insertvalue { ptr, i32 } %a, i32 %limit, 1
  ret { ptr, i32 } %b
}
define i32 @main() {
  %limit = call i32 @given(i32 3)
  %both = call { ptr, i32 } @make(i32 %limit)
  %handle = extractvalue { ptr, i32 } %both, 0
  call void @llvm.coro.resume(ptr %handle)
  call void @llvm.coro.resume(ptr %handle)
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  call void @llvm.coro.destroy(ptr %handle)
  call void @say(i32 %value)
  ret i32 0
}
