; LLVM's test (PR34897): it is created, resumed and destroyed on one of two paths.
define internal void @start(i1 %use) noinline {
entry:
  br i1 %use, label %then, label %out
then:
  %handle = call ptr @count(i32 2)
  tail call void @watched(ptr %handle)
  call void @llvm.coro.resume(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  br label %out
out:
  ret void
}
define i32 @main() {
  %one = call i32 @given(i32 1)
  %true = icmp eq i32 %one, 1
  call void @start(i1 %true)
  call void @say(i32 1)
  ret i32 0
}
