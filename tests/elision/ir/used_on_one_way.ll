; LLVM's test (PR34897): it is created before a branch, and resumed and destroyed on one path.
@kept = global ptr null
define internal void @start(i1 %use) noinline {
entry:
  %handle = call ptr @count(i32 2)
  store ptr %handle, ptr @kept
  tail call void @watched(ptr %handle)
  br i1 %use, label %then, label %else
then:
  call void @llvm.coro.resume(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  br label %out
else:
  br label %out
out:
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
  call void @llvm.coro.destroy(ptr %handle)
  call void @say(i32 1)
  ret i32 0
}
