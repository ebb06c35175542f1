; LLVM's test: the caller is a coroutine that suspends while its child is alive; both its resume and destroy paths destroy
; the child.
define internal ptr @parent() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %fresh = call ptr @new_frame(i64 %size)
  br label %begin
begin:
  %memory = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %own = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %handle = call ptr @count(i32 3)
  call void @llvm.coro.resume(ptr %handle)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %resumed
                             i8 1, label %early ]
early:
  call void @llvm.coro.destroy(ptr %handle)
  br label %cleanup
resumed:
  call void @llvm.coro.resume(ptr %handle)
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  call void @say(i32 %value)
  call void @llvm.coro.destroy(ptr %handle)
  %f = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %f, label %end [ i8 0, label %never
                             i8 1, label %cleanup ]
never:
  unreachable
cleanup:
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
  %a = call ptr @parent()
  call void @llvm.coro.resume(ptr %a)
  call void @llvm.coro.destroy(ptr %a)
  %b = call ptr @parent()
  call void @llvm.coro.destroy(ptr %b)
  ret i32 0
}
