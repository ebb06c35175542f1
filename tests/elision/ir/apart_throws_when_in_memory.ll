; The ramp in another module throws when the handle is already in its caller's memory, which the caller publishes.
@kept = internal global ptr null
declare void @made(ptr noalias sret(ptr))
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
define internal void @start() noinline personality ptr @__gxx_personality_v0 {
  %owner = alloca ptr
  store ptr null, ptr %owner
  invoke void @made(ptr noalias sret(ptr) %owner)
          to label %fine unwind label %thrown
fine:
  %handle = load ptr, ptr %owner
  call void @llvm.coro.destroy(ptr %handle)
  ret void
thrown:
  %exception = landingpad { ptr, i32 }
          catch ptr null
  %object = extractvalue { ptr, i32 } %exception, 0
  %caught = call ptr @__cxa_begin_catch(ptr %object)
  call void @__cxa_end_catch()
  %left = load ptr, ptr %owner
  store ptr %left, ptr @kept
  ret void
}
define i32 @main() {
  call void @start()
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
