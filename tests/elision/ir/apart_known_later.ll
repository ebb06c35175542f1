; A coroutine from another module publishes its handle when it is resumed, and is resumed again after its creator has
; returned.
declare ptr @made()
declare void @later()
define internal void @start() noinline {
  %handle = call ptr @made()
  call void @llvm.coro.resume(ptr %handle)
  ret void
}
define i32 @main() {
  call void @start()
  call void @later()
  ret i32 0
}
