; One of two coroutines is resumed, and the other one throws, though this one never does.
@kept = internal global ptr null
@_ZTIl = external constant ptr
declare ptr @__cxa_allocate_exception(i64)
declare void @__cxa_throw(ptr, ptr, ptr) noreturn
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
define internal void @fail() noinline {
  %exception = call ptr @__cxa_allocate_exception(i64 8)
  call void @__cxa_throw(ptr %exception, ptr @_ZTIl, ptr null)
  unreachable
}
define internal ptr @throws() presplitcoroutine {
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
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  store i32 2, ptr %promise
  call void @fail()
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
define internal void @start(ptr %other) noinline {
  %handle = call ptr @count(i32 3)
  store ptr %handle, ptr @kept
  %which = call i32 @given(i32 1)
  %does = icmp ne i32 %which, 0
  %one = select i1 %does, ptr %other, ptr %handle
  call void @llvm.coro.resume(ptr %one)
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}
define i32 @main() personality ptr @__gxx_personality_v0 {
entry:
  %other = call ptr @throws()
  invoke void @start(ptr %other)
          to label %fine unwind label %thrown
thrown:
  %exception = landingpad { ptr, i32 }
          catch ptr null
  %object = extractvalue { ptr, i32 } %exception, 0
  %caught = call ptr @__cxa_begin_catch(ptr %object)
  call void @__cxa_end_catch()
  call void @later()
  ret i32 0
fine:
  ret i32 1
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
