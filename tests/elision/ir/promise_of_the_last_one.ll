; A loop destroys no coroutine, and reads the promise of the one from the previous iteration.
define i32 @main() {
entry:
  br label %loop
loop:
  %i = phi i32 [ 1, %entry ], [ %next, %loop ]
  %last = phi ptr [ null, %entry ], [ %promise, %loop ]
  %handle = call ptr @count(i32 3)
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  store i32 %i, ptr %promise
  %next = add i32 %i, 1
  %limit = call i32 @given(i32 2)
  %more = icmp ule i32 %next, %limit
  br i1 %more, label %loop, label %over
over:
  %value = load i32, ptr %last
  call void @say(i32 %value)
  ret i32 0
}
