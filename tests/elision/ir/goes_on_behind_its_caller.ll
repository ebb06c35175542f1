; A suspended coroutine resumes its child, which resumes the parent: the parent creates the next child while the first one
; has yet to read its own promise. Each child frees itself at its end.
define internal ptr @child(i32 %value, ptr %then) presplitcoroutine noinline {
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
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  store i32 %value, ptr %promise
  call void @say(i32 %value)
  call void @llvm.coro.resume(ptr %then)
  %again = load i32, ptr %promise
  call void @say(i32 %again)
  br label %cleanup
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
define internal ptr @parent(i32 %count) presplitcoroutine noinline {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @new_frame(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %loop
                             i8 1, label %over ]
loop:
  %i = phi i32 [ 1, %entry ], [ %next, %resume ]
  %next = add i32 %i, 1
  %child = call ptr @child(i32 %i, ptr %hdl)
  %save = call token @llvm.coro.save(ptr null)
  call void @llvm.coro.resume(ptr %child)
  %a = call i8 @llvm.coro.suspend(token %save, i1 false)
  switch i8 %a, label %end [ i8 0, label %resume
                             i8 1, label %over ]
resume:
  %more = icmp ult i32 %next, %count
  br i1 %more, label %loop, label %last
last:
  %f = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %f, label %end [ i8 1, label %over ]
over:
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free_frame(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}
define i32 @main() {
  %count = call i32 @given(i32 4)
  %parent = call ptr @parent(i32 %count)
  call void @llvm.coro.resume(ptr %parent)
  call void @llvm.coro.destroy(ptr %parent)
  ret i32 0
}
