; The value is needed after a suspend, and by the ramp behind the end of the frame, where the frame may be gone. Prints 42.
@int = private constant [4 x i8] c"%d\0A\00"
define i32 @f(i32 %n, i1 %early) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @take(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %kept = call i32 @number(i32 %n)
  br i1 %early, label %cleanup, label %wait
wait:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [i8 0, label %resume
                                i8 1, label %cleanup]
resume:
  call void @show(i32 %kept)
  br label %cleanup
cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @give(ptr %block)
  br label %suspend
suspend:
  %twice = add i32 %kept, %kept
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret i32 %twice
}
define i32 @number(i32 %n) noinline {
  %m = add i32 %n, 1
  ret i32 %m
}
define ptr @take(i32 %size) noinline {
  %wide = zext i32 %size to i64
  %memory = call ptr @malloc(i64 %wide)
  ret ptr %memory
}
define void @give(ptr %memory) noinline {
  call void @llvm.memset.p0.i64(ptr %memory, i8 -1, i64 24, i1 true)
  call void @free(ptr %memory)
  ret void
}
define void @show(i32 %v) noinline {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}
define i32 @main() {
  %v = call i32 @f(i32 20, i1 true)
  call void @show(i32 %v)
  ret i32 0
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i32 @llvm.coro.size.i32()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
