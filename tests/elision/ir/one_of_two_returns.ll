; LLVM's test: one of two returns is after its destruction, the other is not, and the caller destroys it.
@kept = global ptr null
define internal void @start(i1 %end) noinline {
entry:
  %handle = call ptr @count(i32 2)
  call void @llvm.coro.resume(ptr %handle)
  br i1 %end, label %destroy, label %leave
destroy:
  call void @llvm.coro.destroy(ptr %handle)
  ret void
leave:
  store ptr %handle, ptr @kept
  ret void
}
define i32 @main() {
  %one = call i32 @given(i32 1)
  %true = icmp eq i32 %one, 1
  %false = icmp eq i32 %one, 0
  call void @start(i1 %true)
  call void @start(i1 %false)
  %handle = load ptr, ptr @kept
  call void @llvm.coro.resume(ptr %handle)
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  call void @say(i32 %value)
  call void @llvm.coro.destroy(ptr %handle)
  ret i32 0
}
