; A frontend queries llvm.coro.done before and after each resume, in separate blocks, and destroys it at the only exit.
define internal i32 @step(ptr %slot) {
entry:
  %handle = load ptr, ptr %slot
  %before = call i1 @llvm.coro.done(ptr %handle)
  br i1 %before, label %over, label %go
go:
  call void @llvm.coro.resume(ptr %handle)
  %after = call i1 @llvm.coro.done(ptr %handle)
  br i1 %after, label %over, label %take
take:
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  ret i32 %value
over:
  ret i32 -1
}
define internal void @drop(ptr %slot) {
entry:
  %handle = load ptr, ptr %slot
  %null = icmp eq ptr %handle, null
  br i1 %null, label %out, label %destroy
destroy:
  call void @llvm.coro.destroy(ptr %handle)
  br label %out
out:
  ret void
}
define i32 @main() {
entry:
  %slot = alloca ptr
  %limit = call i32 @given(i32 4)
  %handle = call ptr @count(i32 %limit)
  store ptr %handle, ptr %slot
  br label %loop
loop:
  %sum = phi i32 [ 0, %entry ], [ %more, %add ]
  %value = call i32 @step(ptr %slot)
  %end = icmp eq i32 %value, -1
  br i1 %end, label %out, label %add
add:
  %more = add i32 %sum, %value
  br label %loop
out:
  call void @drop(ptr %slot)
  call void @say(i32 %sum)
  ret i32 0
}
