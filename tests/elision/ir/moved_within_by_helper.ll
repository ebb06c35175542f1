; A helper moves the handle from one field of the owner to another, from which it escapes.
@kept = internal global ptr null
define internal void @shift(ptr %owner) noinline {
  %handle = load ptr, ptr %owner
  %field = getelementptr i8, ptr %owner, i64 8
  store ptr %handle, ptr %field
  store ptr null, ptr %owner
  ret void
}
define internal void @start() noinline {
  %owner = alloca { ptr, ptr }
  %handle = call ptr @count(i32 3)
  store ptr %handle, ptr %owner
  call void @shift(ptr %owner)
  %field = getelementptr i8, ptr %owner, i64 8
  %away = load ptr, ptr %field
  store ptr %away, ptr @kept
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
