; An exception does not match the only handler and propagates, with no edge in the function.
@kept = internal global ptr null
@_ZTIi = external constant ptr
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
define internal void @start(i32 %limit) noinline personality ptr @__gxx_personality_v0 {
  %handle = call ptr @count(i32 %limit)
  store ptr %handle, ptr @kept
  invoke void @fail()
          to label %fine unwind label %caught
fine:
  call void @llvm.coro.destroy(ptr %handle)
  ret void
caught:
  %exception = landingpad { ptr, i32 }
          catch ptr @_ZTIi
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}
define i32 @main() personality ptr @__gxx_personality_v0 {
entry:
  invoke void @start(i32 3)
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
