; A coroutine of another module tells others of itself once it is resumed: they go on with it when the function that started it is left.
declare ptr @made()
declare void @later()
define internal void @start() noinline {
  %handle = call ptr @made()
  call void @llvm.coro.resume(ptr %handle)
  ret void
}
define i32 @main() {
  call void @start()
  call void @later()
  ret i32 0
}
