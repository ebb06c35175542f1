; LLVM's test: the function throws, and its cleanup does not destroy it. (This path never executes.)
@kept = global ptr null
define internal void @start() noinline personality ptr @__gxx_personality_v0 {
entry:
  %handle = call ptr @count(i32 2)
  store ptr %handle, ptr @kept
  invoke void @outside()
          to label %fine unwind label %thrown
fine:
  ret void
thrown:
  %exception = landingpad { ptr, i32 }
          cleanup
  resume { ptr, i32 } %exception
}
define i32 @main() {
  call void @start()
  %handle = load ptr, ptr @kept
  call void @llvm.coro.resume(ptr %handle)
  call void @llvm.coro.destroy(ptr %handle)
  call void @say(i32 4)
  ret i32 0
}
