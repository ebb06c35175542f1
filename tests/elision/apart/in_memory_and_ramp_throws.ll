; Its ramp puts the handle in memory that its caller gives, and throws behind the first suspend.
@_ZTIl = external constant ptr
declare ptr @__cxa_allocate_exception(i64)
declare void @__cxa_throw(ptr, ptr, ptr) noreturn
define internal void @fail() noinline {
  %number = call i32 @given(i32 1)
  %odd = trunc i32 %number to i1
  br i1 %odd, label %throw, label %out
throw:
  %exception = call ptr @__cxa_allocate_exception(i64 8)
  call void @__cxa_throw(ptr %exception, ptr @_ZTIl, ptr null)
  unreachable
out:
  ret void
}
define void @made(ptr noalias sret(ptr) %owner) presplitcoroutine {
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
  store ptr %handle, ptr %owner
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  store i32 2, ptr %promise
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
  call void @fail()
  ret void
}
