; An escaped variable is null, until other code stores the handle there; then it is not destroyed.
@kept = internal global ptr null
@where = internal global ptr null
define internal void @adopt() noinline {
  %owner = load ptr, ptr @where
  %handle = load ptr, ptr @kept
  store ptr %handle, ptr %owner
  ret void
}
define internal void @start() noinline {
  %slot = alloca ptr
  store ptr %slot, ptr @where
  store ptr null, ptr %slot
  %handle = call ptr @count(i32 3)
  store ptr %handle, ptr @kept
  call void @adopt()
  %owned = load ptr, ptr %slot
  %free = icmp eq ptr %owned, null
  br i1 %free, label %destroyed, label %adopted
destroyed:
  call void @llvm.coro.destroy(ptr %handle)
  ret void
adopted:
  ret void
}
define i32 @main() {
  call void @start()
  call void @later()
  ret i32 0
}
define internal void @later() noinline {
  %handle = load ptr, ptr @kept
  call void @llvm.coro.resume(ptr %handle)
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  call void @say(i32 %value)
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}
