; A function receives the owner and its field, and overwrites through the one what it destroys through the other.
@kept = internal global ptr null
define internal void @replace(ptr %owner, ptr %field, ptr %other) noinline {
  store ptr %other, ptr %field
  %owned = load ptr, ptr %owner
  call void @llvm.coro.destroy(ptr %owned)
  ret void
}
define internal void @start(ptr %other) noinline {
  %slot = alloca { ptr, ptr }
  %handle = call ptr @count(i32 3)
  store ptr %handle, ptr @kept
  store ptr %handle, ptr %slot
  %field = getelementptr i8, ptr %slot, i64 0
  call void @replace(ptr %slot, ptr %field, ptr %other)
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
