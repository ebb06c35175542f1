; LLVM's test: it is destroyed before a branch to two returns.
define internal i32 @start(i1 %end) noinline {
entry:
  %handle = call ptr @count(i32 2)
  call void @llvm.coro.resume(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  br i1 %end, label %one, label %two
one:
  call void @say(i32 1)
  ret i32 1
two:
  ret i32 2
}
define i32 @main() {
  %one = call i32 @given(i32 1)
  %true = icmp eq i32 %one, 1
  %value = call i32 @start(i1 %true)
  call void @say(i32 %value)
  ret i32 0
}
