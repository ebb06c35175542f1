; A frontend's coroutine stores its child's handle in an alloca, and destroys it on every exit.
define internal ptr @sums(i32 %limit) presplitcoroutine {
entry:
  %promise = alloca i32
  %slot = alloca ptr
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %fresh = call ptr @new_frame(i64 %size)
  br label %begin
begin:
  %memory = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %own = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %child = call ptr @count(i32 %limit)
  store ptr %child, ptr %slot
  store i32 0, ptr %promise
  br label %loop
loop:
  %h = load ptr, ptr %slot
  call void @llvm.coro.resume(ptr %h)
  %done = call i1 @llvm.coro.done(ptr %h)
  br i1 %done, label %final, label %yield
yield:
  %place = call ptr @llvm.coro.promise(ptr %h, i32 4, i1 false)
  %value = load i32, ptr %place
  %before = load i32, ptr %promise
  %sum = add i32 %before, %value
  store i32 %sum, ptr %promise
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %loop
                             i8 1, label %cleanup ]
final:
  %f = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %f, label %end [ i8 0, label %never
                             i8 1, label %cleanup ]
never:
  unreachable
cleanup:
  %last = load ptr, ptr %slot
  call void @llvm.coro.destroy(ptr %last)
  %old = call ptr @llvm.coro.free(token %id, ptr %own)
  %heap = icmp ne ptr %old, null
  br i1 %heap, label %release, label %end
release:
  call void @free_frame(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %own
}
define i32 @main() {
entry:
  %limit = call i32 @given(i32 4)
  %handle = call ptr @sums(i32 %limit)
  br label %loop
loop:
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %sum = load i32, ptr %promise
  %done = call i1 @llvm.coro.done(ptr %handle)
  br i1 %done, label %out, label %again
again:
  call void @llvm.coro.resume(ptr %handle)
  br label %loop
out:
  call void @llvm.coro.destroy(ptr %handle)
  call void @say(i32 %sum)
  ret i32 0
}
