; The owner is copied as a whole to another one, which helpers access and from which the handle escapes.
@kept = internal global ptr null
define internal void @look(ptr %owner) noinline {
  %field = getelementptr i8, ptr %owner, i64 8
  %value = load i32, ptr %field
  call void @say(i32 %value)
  ret void
}
define internal void @start() noinline {
  %one = alloca { ptr, i32 }
  %other = alloca { ptr, i32 }
  %handle = call ptr @count(i32 3)
  store ptr %handle, ptr %one
  %field = getelementptr i8, ptr %one, i64 8
  store i32 7, ptr %field
  call void @look(ptr %one)
  call void @llvm.memcpy.p0.p0.i64(ptr %other, ptr %one, i64 16, i1 false)
  call void @look(ptr %other)
  %away = load ptr, ptr %other
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
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
