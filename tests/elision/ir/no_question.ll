; The frontend never calls llvm.coro.alloc: it always allocates, and always frees.
define internal ptr @plain() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %fresh = call ptr @new_frame(i64 %size)
  %own = call ptr @llvm.coro.begin(token %id, ptr %fresh)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %go
                             i8 1, label %cleanup ]
go:
  call void @say(i32 1)
  br label %cleanup
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %own)
  call void @free_frame(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %own
}
define i32 @main() {
  %a = call ptr @plain()
  call void @llvm.coro.resume(ptr %a)
  %b = call ptr @plain()
  call void @llvm.coro.destroy(ptr %b)
  ret i32 0
}
