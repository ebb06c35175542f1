; Once resumed, the coroutine overwrites its returned handle with another one, which is destroyed.
@kept = internal global ptr null
define internal void @made(ptr noalias sret(ptr) %out, ptr %other) presplitcoroutine {
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
  store ptr %handle, ptr %out
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  store i32 2, ptr %promise
  store ptr %other, ptr %out
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
  ret void
}
define internal void @start(ptr %other) noinline {
  %slot = alloca ptr
  call void @made(ptr sret(ptr) %slot, ptr %other)
  %handle = load ptr, ptr %slot
  store ptr %handle, ptr @kept
  call void @llvm.coro.resume(ptr %handle)
  %owned = load ptr, ptr %slot
  call void @llvm.coro.destroy(ptr %owned)
  ret void
}
define i32 @main() {
  %other = call ptr @count(i32 3)
  call void @start(ptr %other)
  %handle = load ptr, ptr @kept
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  call void @say(i32 %value)
  call void @llvm.coro.destroy(ptr %handle)
  ret i32 0
}
