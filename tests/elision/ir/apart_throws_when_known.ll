; A coroutine from another module, whose handle escaped, throws when it is resumed, and is resumed again after the exception
; has left its creator.
declare ptr @made()
declare void @later() nounwind
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
define internal void @start() noinline {
  %handle = call ptr @made()
  call void @llvm.coro.resume(ptr %handle)
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
