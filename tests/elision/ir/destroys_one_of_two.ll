; A path merges where another coroutine is destroyed, with the handle in a global, from which it is resumed later.
@kept = internal global ptr null
define internal void @start(ptr %other) noinline {
  %handle = call ptr @count(i32 3)
  store ptr %handle, ptr @kept
  %one = call i32 @given(i32 1)
  %true = icmp eq i32 %one, 1
  br i1 %true, label %then, label %else
then:
  call void @say(i32 7)
  br label %join
else:
  call void @watched(ptr null)
  br label %join
join:
  %owned = phi ptr [ %other, %then ], [ %handle, %else ]
  call void @llvm.coro.destroy(ptr %owned)
  ret void
}
define i32 @main() {
  %other = call ptr @count(i32 2)
  call void @start(ptr %other)
  %handle = load ptr, ptr @kept
  call void @llvm.coro.resume(ptr %handle)
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  call void @say(i32 %value)
  call void @llvm.coro.destroy(ptr %handle)
  ret i32 0
}
