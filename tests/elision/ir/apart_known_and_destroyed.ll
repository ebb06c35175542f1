; A coroutine from another module publishes its handle immediately, but is destroyed on every path.
declare ptr @made()
define internal void @tell(ptr %handle) {
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  call void @say(i32 %value)
  ret void
}
define internal void @start() noinline {
  %handle = call ptr @made()
  call void @llvm.coro.resume(ptr %handle)
  call void @tell(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}
define i32 @main() {
  call void @start()
  ret i32 0
}
