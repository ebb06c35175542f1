; Once resumed, a coroutine from another module overwrites its returned handle with another one, which is destroyed.
declare void @made(ptr noalias sret(ptr), ptr) nounwind
@kept = internal global ptr null
define internal void @tell(ptr %handle) {
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  call void @say(i32 %value)
  ret void
}
define internal void @start(ptr %other) noinline {
  %slot = alloca ptr
  call void @made(ptr sret(ptr) %slot, ptr %other)
  %handle = load ptr, ptr %slot
  store ptr %handle, ptr @kept
  call void @llvm.coro.resume(ptr %handle)
  %owned = load ptr, ptr %slot
  call void @llvm.coro.destroy(ptr %owned)
  ret void
}
define i32 @main() {
  %other = call ptr @count(i32 3)
  call void @start(ptr %other)
  %handle = load ptr, ptr @kept
  call void @tell(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  ret i32 0
}
