; A helper returns the handle in one of two fields; it escapes through either.
@kept = internal global ptr null
define internal { ptr, ptr } @either(ptr %handle, i32 %which) noinline {
  %first = icmp eq i32 %which, 0
  br i1 %first, label %in_first, label %in_second
in_first:
  %a = insertvalue { ptr, ptr } { ptr null, ptr null }, ptr %handle, 0
  ret { ptr, ptr } %a
in_second:
  %b = insertvalue { ptr, ptr } { ptr null, ptr null }, ptr %handle, 1
  call void @say(i32 2)
  ret { ptr, ptr } %b
}
define internal void @keep(i32 %which) noinline {
  %handle = call ptr @count(i32 3)
  %both = call { ptr, ptr } @either(ptr %handle, i32 %which)
  %one = extractvalue { ptr, ptr } %both, 0
  %other = extractvalue { ptr, ptr } %both, 1
  %none = icmp eq ptr %one, null
  %away = select i1 %none, ptr %other, ptr %one
  store ptr %away, ptr @kept
  ret void
}
define i32 @main() {
  %none = call i32 @given(i32 0)
  call void @keep(i32 %none)
  call void @later()
  %one = call i32 @given(i32 1)
  call void @keep(i32 %one)
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
