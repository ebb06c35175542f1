; A coroutine from another module returns its handle after another one, which is destroyed; its own is resumed later.
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
