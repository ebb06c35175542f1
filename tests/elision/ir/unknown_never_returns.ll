; An unknown noreturn helper, which calls longjmp, leaves its creator.
@buffer = internal global [64 x i64] zeroinitializer, align 16
@kept = internal global ptr null
declare i32 @_setjmp(ptr) returns_twice
declare void @longjmp(ptr, i32) noreturn nounwind
define weak void @leave() noinline noreturn nounwind {
  call void @longjmp(ptr @buffer, i32 1)
  unreachable
}
define internal void @start(i32 %limit) noinline nounwind {
  %handle = call ptr @count(i32 %limit)
  store ptr %handle, ptr @kept
  %jumps = call i32 @given(i32 %limit)
  %does = icmp ne i32 %jumps, 0
  br i1 %does, label %away, label %on
away:
  call void @leave()
  unreachable
on:
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}
define i32 @main() {
  %times = call i32 @_setjmp(ptr @buffer) returns_twice
  %first = icmp eq i32 %times, 0
  br i1 %first, label %once, label %twice
once:
  call void @start(i32 3)
  ret i32 1
twice:
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
