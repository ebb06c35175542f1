; A coroutine from another module is created, resumed and destroyed.
declare ptr @made()
define internal void @tell(ptr %handle) {
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  call void @say(i32 %value)
  ret void
}
define i32 @main() {
  %handle = call ptr @made()
  call void @llvm.coro.resume(ptr %handle)
  call void @tell(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  ret i32 0
}
