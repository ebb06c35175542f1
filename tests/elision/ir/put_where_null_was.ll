; A function stores the handle into its argument, a variable, if that is null; then it is not destroyed.
@kept = internal global ptr null
define internal void @adopt(ptr %owner) noinline {
  %owned = load ptr, ptr %owner
  %free = icmp eq ptr %owned, null
  br i1 %free, label %put, label %over
put:
  %handle = load ptr, ptr @kept
  store ptr %handle, ptr %owner
  ret void
over:
  ret void
}
define internal void @start() noinline {
  %slot = alloca ptr
  %handle = call ptr @count(i32 3)
  store ptr %handle, ptr @kept
  store ptr %handle, ptr %slot
  store ptr null, ptr %slot
  call void @adopt(ptr %slot)
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
