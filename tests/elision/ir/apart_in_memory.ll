; A coroutine from another module stores its handle in the second word of memory of its caller.
declare void @made(ptr noalias sret({ i64, ptr }))
@kept = internal global ptr null
define internal void @tell(ptr %handle) {
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  call void @say(i32 %value)
  ret void
}
define internal void @start() noinline {
  %out = alloca { i64, ptr }
  call void @made(ptr sret({ i64, ptr }) %out)
  %place = getelementptr i8, ptr %out, i64 8
  %handle = load ptr, ptr %place
  store ptr %handle, ptr @kept
  call void @llvm.coro.resume(ptr %handle)
  call void @tell(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}
define i32 @main() {
  call void @start()
  ret i32 0
}
