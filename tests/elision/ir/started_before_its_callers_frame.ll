; A coroutine creates another one before its own frame exists. Its allocas are then copied to the frame, but the handle that
; the ramp stored to memory would not be updated.
define internal void @into(ptr noalias sret(ptr) %owner, i32 %value) presplitcoroutine noinline {
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
  store ptr %handle, ptr %owner
  store i32 %value, ptr %promise
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  %next = add i32 %value, 1
  store i32 %next, ptr %promise
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
  ret void
}
define internal ptr @parent() presplitcoroutine noinline {
entry:
  %owner = alloca ptr
  call void @into(ptr noalias sret(ptr) %owner, i32 42)
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @new_frame(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %resume
                             i8 1, label %over ]
resume:
  %handle = load ptr, ptr %owner
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  call void @say(i32 %value)
  call void @llvm.coro.resume(ptr %handle)
  %next = load i32, ptr %promise
  call void @say(i32 %next)
  br label %over
over:
  %owned = load ptr, ptr %owner
  call void @llvm.coro.destroy(ptr %owned)
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free_frame(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}
define i32 @main() {
  %parent = call ptr @parent()
  call void @watched(ptr %parent)
  call void @llvm.coro.resume(ptr %parent)
  ret i32 0
}
