; The ramp creates a coroutine or returns the handle from its argument, so its result may be another coroutine's.
define internal ptr @either(i32 %own, ptr %other) presplitcoroutine noinline {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %begins = icmp ne i32 %own, 0
  br i1 %begins, label %ask, label %give
give:
  ret ptr %other
ask:
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %fresh = call ptr @new_frame(i64 %size)
  br label %begin
begin:
  %memory = phi ptr [ null, %ask ], [ %fresh, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  call void @say(i32 100)
  %f = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %f, label %end [ i8 1, label %cleanup ]
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %handle)
  %heap = icmp ne ptr %old, null
  br i1 %heap, label %release, label %end
release:
  call void @free_frame(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
define internal void @start(i32 %own, ptr %other) noinline {
  %handle = call ptr @either(i32 %own, ptr %other)
  call void @llvm.coro.resume(ptr %handle)
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  call void @watched(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}
define i32 @main() {
  %other = call ptr @count(i32 3)
  call void @llvm.coro.resume(ptr %other)
  %no = call i32 @given(i32 0)
  call void @start(i32 %no, ptr %other)
  %yes = call i32 @given(i32 1)
  call void @start(i32 %yes, ptr null)
  call void @say(i32 1)
  ret i32 0
}
