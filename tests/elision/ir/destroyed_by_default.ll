; Its caller, a coroutine, suspends by a case of the switch, and destroys it on the default edge.
define internal ptr @parent() presplitcoroutine noinline {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @new_frame(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %handle = call ptr @count(i32 3)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %destroy [ i8 0, label %resume
                                 i8 -1, label %end ]
resume:
  call void @llvm.coro.destroy(ptr %handle)
  br label %over
destroy:
  call void @say(i32 0)
  call void @llvm.coro.destroy(ptr %handle)
  br label %over
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
  ret i32 0
}
