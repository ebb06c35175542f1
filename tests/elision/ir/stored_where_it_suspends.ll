; Its caller, a coroutine, publishes the handle on its suspend path.
@kept = internal global ptr null
define internal void @keep(ptr %owner) noinline {
  %handle = load ptr, ptr %owner
  store ptr %handle, ptr @kept
  ret void
}
define internal ptr @parent() presplitcoroutine noinline {
entry:
  %owner = alloca ptr
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @new_frame(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %handle = call ptr @count(i32 3)
  store ptr %handle, ptr %owner
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [ i8 0, label %resume
                                 i8 1, label %over ]
resume:
  call void @say(i32 0)
  br label %over
suspend:
  call void @keep(ptr %owner)
  br label %end
over:
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free_frame(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}
define i32 @main() {
  %parent = call ptr @parent()
  call void @llvm.coro.destroy(ptr %parent)
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
