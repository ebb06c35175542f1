; Once resumed, a coroutine publishes its handle, and is resumed after its creator has returned.
@kept = internal global ptr null
define internal void @keep(ptr %handle) noinline {
  store ptr %handle, ptr @kept
  ret void
}
define internal ptr @made() presplitcoroutine noinline {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %fresh = call ptr @new_frame(i64 %size)
  br label %begin
begin:
  %memory = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store i32 1, ptr %promise
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  call void @keep(ptr %handle)
  store i32 2, ptr %promise
  %again = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %again, label %end [ i8 0, label %more
                                 i8 1, label %cleanup ]
more:
  store i32 3, ptr %promise
  %f = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %f, label %end [ i8 0, label %never
                             i8 1, label %cleanup ]
never:
  unreachable
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
define internal void @start() noinline {
  %handle = call ptr @made()
  call void @llvm.coro.resume(ptr %handle)
  ret void
}
define i32 @main() {
  call void @start()
  %handle = load ptr, ptr @kept
  call void @llvm.coro.resume(ptr %handle)
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  call void @say(i32 %value)
  call void @llvm.coro.destroy(ptr %handle)
  ret i32 0
}
