; Its caller, a coroutine that tests the suspend's result with a branch, resumes it on the suspend path, and it frees itself.
define internal ptr @parent() nounwind noinline presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @new_frame(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store volatile ptr %hdl, ptr @own
  %child = call ptr @count(i32 3)
  call void @llvm.coro.resume(ptr %child)
  %promise = call ptr @llvm.coro.promise(ptr %child, i32 4, i1 false)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %resumed = icmp eq i8 %s, 0
  br i1 %resumed, label %resume, label %out
out:
  call void @run_parent()
  %value = load volatile i32, ptr %promise
  call void @say(i32 %value)
  call void @llvm.coro.destroy(ptr %child)
  br label %end
resume:
  call void @say(i32 0)
  br label %cleanup
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free_frame(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr null
}
@own = internal global ptr null
define internal void @run_parent() nounwind noinline {
  %h = load volatile ptr, ptr @own
  call void @llvm.coro.resume(ptr %h)
  ret void
}
define i32 @main() {
  %handle = call ptr @parent()
  ret i32 0
}
