; A helper may end the process, so that the frame whose handle is in a global is never used again.
@kept = internal global ptr null
declare void @exit(i32) noreturn nounwind
define internal void @check(i32 %limit) noinline nounwind {
  %bad = icmp ne i32 %limit, 0
  br i1 %bad, label %end, label %back
end:
  call void @exit(i32 0)
  unreachable
back:
  ret void
}
define internal void @start(i32 %limit) noinline nounwind {
  %handle = call ptr @count(i32 %limit)
  store ptr %handle, ptr @kept
  %bad = call i32 @given(i32 0)
  call void @check(i32 %bad)
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}
define i32 @main() {
  call void @start(i32 3)
  %handle = load ptr, ptr @kept
  %known = icmp ne ptr %handle, null
  %shown = zext i1 %known to i32
  call void @say(i32 %shown)
  ret i32 0
}
