; LLVM's test: a call marked tail receives the handle while the coroutine is alive.
define i32 @main() {
  %limit = call i32 @given(i32 3)
  %handle = call ptr @count(i32 %limit)
  tail call void @watched(ptr %handle)
  tail call void @watched(ptr null)
  call void @llvm.coro.resume(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  call void @say(i32 1)
  ret i32 0
}
