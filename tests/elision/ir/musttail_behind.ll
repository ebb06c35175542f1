; LLVM's test: a musttail call follows the end of the coroutine.
define internal void @after() noinline {
  call void @say(i32 2)
  ret void
}
define internal void @start() noinline {
  %limit = call i32 @given(i32 3)
  %handle = call ptr @count(i32 %limit)
  call void @llvm.coro.resume(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  musttail call void @after()
  ret void
}
define i32 @main() {
  call void @start()
  ret i32 0
}
