; A coroutine from another module returns its handle after another address, and is destroyed.
@somewhere = internal global i32 0
declare { ptr, ptr } @made(ptr)
define internal void @tell(ptr %handle) {
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  call void @say(i32 %value)
  ret void
}
define internal void @start(ptr %other) noinline {
  %both = call { ptr, ptr } @made(ptr %other)
  %handle = extractvalue { ptr, ptr } %both, 1
  call void @llvm.coro.resume(ptr %handle)
  call void @tell(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}
define i32 @main() {
  call void @start(ptr @somewhere)
  ret i32 0
}
