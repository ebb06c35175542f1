; Its caller, a coroutine, frees its own frame, then reads and destroys it.
define internal ptr @parent(i32 %limit) nounwind noinline presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @new_frame(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %child = call ptr @count(i32 %limit)
  call void @llvm.coro.resume(ptr %child)
  %big = icmp sgt i32 %limit, 100
  br i1 %big, label %yield, label %early
yield:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  call void @say(i32 0)
  br label %cleanup
cleanup:
  call void @llvm.coro.destroy(ptr %child)
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free_frame(ptr %old)
  br label %end
early:
  %gone = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free_frame(ptr %gone)
  %promise = call ptr @llvm.coro.promise(ptr %child, i32 4, i1 false)
  %value = load volatile i32, ptr %promise
  call void @say(i32 %value)
  call void @llvm.coro.destroy(ptr %child)
  br label %end
end:
  %result = phi ptr [ %hdl, %yield ], [ null, %cleanup ], [ null, %early ]
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %result
}
define i32 @main() {
  %limit = call i32 @given(i32 4)
  %handle = call ptr @parent(i32 %limit)
  %none = icmp eq ptr %handle, null
  br i1 %none, label %out, label %some
some:
  call void @llvm.coro.destroy(ptr %handle)
  br label %out
out:
  ret i32 0
}
