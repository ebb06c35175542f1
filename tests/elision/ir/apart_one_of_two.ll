; A coroutine from another module publishes its handle and returns another one, which is destroyed; its own is resumed later.
declare ptr @made(i1, ptr)
declare void @later()
define internal void @start(ptr %other) noinline {
  %number = call i32 @given(i32 2)
  %own = trunc i32 %number to i1
  %handle = call ptr @made(i1 %own, ptr %other)
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
