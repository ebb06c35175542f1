; A coroutine of another module returns its handle behind another one, which is destroyed; others go on with its own.
declare { ptr, ptr } @made(ptr)
declare void @later()
define internal void @start(ptr %other) noinline {
  %both = call { ptr, ptr } @made(ptr %other)
  %handle = extractvalue { ptr, ptr } %both, 0
  call void @llvm.coro.resume(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}
define i32 @main() {
  %other = call ptr @count(i32 3)
  call void @start(ptr %other)
  call void @later()
  ret i32 0
}
