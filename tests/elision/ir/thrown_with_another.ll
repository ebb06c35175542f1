; A function temporarily stores another handle in the owner, and throws meanwhile, so the other one is destroyed.
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
define internal void @work(ptr %owner, ptr %other) noinline {
  %own = load ptr, ptr %owner
  store ptr %other, ptr %owner
  call void @fail()
  store ptr %own, ptr %owner
  ret void
}
define internal void @start(ptr %other) noinline personality ptr @__gxx_personality_v0 {
  %slot = alloca ptr
  %handle = call ptr @count(i32 3)
  store ptr %handle, ptr @kept
  store ptr %handle, ptr %slot
  invoke void @work(ptr %slot, ptr %other)
          to label %fine unwind label %thrown
fine:
  call void @llvm.coro.destroy(ptr %handle)
  ret void
thrown:
  %exception = landingpad { ptr, i32 }
          catch ptr null
  %object = extractvalue { ptr, i32 } %exception, 0
  %caught = call ptr @__cxa_begin_catch(ptr %object)
  call void @__cxa_end_catch()
  %owned = load ptr, ptr %slot
  call void @llvm.coro.destroy(ptr %owned)
  ret void
}
define i32 @main() {
  %other = call ptr @count(i32 3)
  call void @start(ptr %other)
  call void @later()
  ret i32 0
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
