; The owner's address escapes, and other code overwrites the handle before it is destroyed.
@kept = internal global ptr null
@where = internal global ptr null
define internal void @release(ptr %owner) noinline {
  %owned = load ptr, ptr %owner
  call void @llvm.coro.destroy(ptr %owned)
  ret void
}
define internal void @replace(ptr %other) noinline {
  %owner = load ptr, ptr @where
  store ptr %other, ptr %owner
  ret void
}
define internal void @start(ptr %other) noinline {
  %slot = alloca ptr
  store ptr %slot, ptr @where
  %handle = call ptr @count(i32 3)
  store ptr %handle, ptr @kept
  store ptr %handle, ptr %slot
  call void @replace(ptr %other)
  call void @release(ptr %slot)
  ret void
}
define i32 @main() {
  %other = call ptr @count(i32 3)
  call void @start(ptr %other)
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
