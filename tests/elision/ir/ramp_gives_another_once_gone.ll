; The ramp's coroutine ends immediately, and the ramp returns the handle from its argument, so its result is another
; coroutine's.
define internal ptr @kid(i32 %limit, ptr %other) nounwind noinline presplitcoroutine {
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
  store i32 7, ptr %promise
  %small = icmp slt i32 %limit, 10
  br i1 %small, label %gone, label %stay
gone:
  %gone_memory = call ptr @llvm.coro.free(token %id, ptr %handle)
  %gone_heap = icmp ne ptr %gone_memory, null
  br i1 %gone_heap, label %release2, label %end
release2:
  call void @free_frame(ptr %gone_memory)
  br label %end
stay:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %trap
                             i8 1, label %cleanup ]
trap:
  call void @say(i32 55)
  br label %cleanup
cleanup:
  call void @say(i32 66)
  %old = call ptr @llvm.coro.free(token %id, ptr %handle)
  %heap = icmp ne ptr %old, null
  br i1 %heap, label %release, label %end
release:
  call void @free_frame(ptr %old)
  br label %end
end:
  %r = phi ptr [ %other, %gone ], [ %other, %release2 ], [ %handle, %stay ], [ %handle, %cleanup ], [ %handle, %release ]
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %r
}
define i32 @main() {
entry:
  %limit = call i32 @given(i32 4)
  %o = call ptr @count(i32 3)
  store volatile ptr %o, ptr @keep
  %o2 = load volatile ptr, ptr @keep
  %h = call ptr @kid(i32 %limit, ptr %o2)
  call void @llvm.coro.resume(ptr %h)
  %place = call ptr @llvm.coro.promise(ptr %h, i32 4, i1 false)
  %v = load volatile i32, ptr %place
  call void @say(i32 %v)
  call void @llvm.coro.destroy(ptr %h)
  ret i32 0
}
@keep = internal global ptr null
