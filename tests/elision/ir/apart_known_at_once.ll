; A coroutine from another module publishes its handle immediately, and is resumed after one path has left its creator.
declare ptr @made()
declare void @later()
define internal void @start() noinline {
  %handle = call ptr @made()
  %number = call i32 @given(i32 1)
  %left = trunc i32 %number to i1
  br i1 %left, label %out, label %over
over:
  call void @llvm.coro.destroy(ptr %handle)
  ret void
out:
  ret void
}
define i32 @main() {
  call void @start()
  call void @later()
  ret i32 0
}
