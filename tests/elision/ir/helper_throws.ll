; A helper resumes it, which never throws, and then throws itself.
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
define internal void @step(ptr %handle) noinline {
  call void @llvm.coro.resume(ptr %handle)
  call void @fail()
  ret void
}
define internal void @start() noinline {
  %handle = call ptr @count(i32 3)
  store ptr %handle, ptr @kept
  call void @step(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}
define i32 @main() personality ptr @__gxx_personality_v0 {
entry:
  invoke void @start()
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
