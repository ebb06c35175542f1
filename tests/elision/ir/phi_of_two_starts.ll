; One handle refers to either of two creations of one coroutine, and is destroyed at one place.
define i32 @main() {
entry:
  %one = call i32 @given(i32 1)
  %true = icmp eq i32 %one, 1
  br i1 %true, label %then, label %else
then:
  %a = call ptr @count(i32 3)
  br label %join
else:
  %b = call ptr @count(i32 4)
  br label %join
join:
  %handle = phi ptr [ %a, %then ], [ %b, %else ]
  call void @llvm.coro.resume(ptr %handle)
  call void @llvm.coro.resume(ptr %handle)
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  call void @llvm.coro.destroy(ptr %handle)
  call void @say(i32 %value)
  ret i32 0
}
