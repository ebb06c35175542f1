; Its ramp lets others know the handle; when it is resumed first, an exception passes by its only handler, and others may resume it again.
@kept = internal global ptr null
@_ZTIi = external constant ptr
@_ZTIl = external constant ptr
@thrown = internal global i1 false
declare ptr @__cxa_allocate_exception(i64)
declare void @__cxa_throw(ptr, ptr, ptr) noreturn
define internal void @fail() noinline {
  %before = load i1, ptr @thrown
  store i1 true, ptr @thrown
  %odd = xor i1 %before, true
  br i1 %odd, label %throw, label %out
throw:
  %exception = call ptr @__cxa_allocate_exception(i64 8)
  call void @__cxa_throw(ptr %exception, ptr @_ZTIl, ptr null)
  unreachable
out:
  ret void
}
define ptr @made() presplitcoroutine personality ptr @__gxx_personality_v0 {
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
  store ptr %handle, ptr @kept
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  invoke void @fail()
          to label %second unwind label %caught
caught:
  %exception = landingpad { ptr, i32 }
          catch ptr @_ZTIi
  br label %second
second:
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
  ret ptr %handle
}
define void @later() noinline {
  %handle = load ptr, ptr @kept
  call void @llvm.coro.resume(ptr %handle)
  call void @tell(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}
define internal void @tell(ptr %handle) {
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  %value = load i32, ptr %promise
  call void @say(i32 %value)
  ret void
}
