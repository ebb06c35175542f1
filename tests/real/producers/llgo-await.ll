; producer: LLGo, LLGO_CORO=1
; llvm: 19
; abi: switch
; expect: 1 2 1 3 10 6 0
;
; The coroutine versions of Go functions, NAME$coro: a handle instead of the result, the result in the promise, a final
; suspend, and a caller that suspends until its callee is done. LLVM 19's llvm.coro.end returns an i1.

declare ptr @take(i64)
declare void @give(ptr)
declare void @report(i32)
declare i32 @frames()
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare i1 @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare i1 @llvm.coro.done(ptr)
declare ptr @llvm.coro.promise(ptr, i32, i1)

define ptr @"main.count$coro"(i32 %0) presplitcoroutine {
_llgo_0:
  %1 = alloca { i32 }, align 8
  %2 = call token @llvm.coro.id(i32 0, ptr %1, ptr null, ptr null)
  %3 = call i1 @llvm.coro.alloc(token %2)
  br i1 %3, label %_llgo_alloc, label %_llgo_begin

_llgo_alloc:
  %4 = call i64 @llvm.coro.size.i64()
  %5 = call ptr @take(i64 %4)
  br label %_llgo_begin

_llgo_begin:
  %6 = phi ptr [ null, %_llgo_0 ], [ %5, %_llgo_alloc ]
  %7 = call ptr @llvm.coro.begin(token %2, ptr %6)
  br label %_llgo_loop

_llgo_loop:
  %8 = phi i32 [ 1, %_llgo_begin ], [ %13, %_llgo_resumed ]
  %9 = phi i32 [ 0, %_llgo_begin ], [ %12, %_llgo_resumed ]
  %10 = icmp sle i32 %8, %0
  br i1 %10, label %_llgo_body, label %_llgo_return

_llgo_body:
  call void @report(i32 %8)
  %11 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %11, label %_llgo_suspend [
    i8 0, label %_llgo_resumed
    i8 1, label %_llgo_cleanup
  ]

_llgo_resumed:
  %12 = add i32 %9, %8
  %13 = add i32 %8, 1
  br label %_llgo_loop

_llgo_return:
  %14 = getelementptr inbounds { i32 }, ptr %1, i32 0, i32 0
  store i32 %9, ptr %14, align 4
  %15 = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %15, label %_llgo_suspend [
    i8 0, label %_llgo_trap
    i8 1, label %_llgo_cleanup
  ]

_llgo_trap:
  unreachable

_llgo_cleanup:
  %16 = call ptr @llvm.coro.free(token %2, ptr %7)
  %17 = icmp ne ptr %16, null
  br i1 %17, label %_llgo_free, label %_llgo_suspend

_llgo_free:
  call void @give(ptr %16)
  br label %_llgo_suspend

_llgo_suspend:
  %18 = call i1 @llvm.coro.end(ptr %7, i1 false, token none)
  ret ptr %7
}

define ptr @"main.work$coro"() presplitcoroutine {
_llgo_0:
  %0 = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %1 = call i64 @llvm.coro.size.i64()
  %2 = call ptr @take(i64 %1)
  %3 = call ptr @llvm.coro.begin(token %0, ptr %2)
  %4 = call ptr @"main.count$coro"(i32 2)
  br label %_llgo_wait

_llgo_wait:
  %5 = call i1 @llvm.coro.done(ptr %4)
  br i1 %5, label %_llgo_ready, label %_llgo_step

_llgo_step:
  %6 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %6, label %_llgo_suspend [
    i8 0, label %_llgo_poll
    i8 1, label %_llgo_cancel
  ]

_llgo_poll:
  call void @llvm.coro.resume(ptr %4)
  br label %_llgo_wait

_llgo_cancel:
  call void @llvm.coro.destroy(ptr %4)
  br label %_llgo_cleanup

_llgo_ready:
  %7 = call ptr @llvm.coro.promise(ptr %4, i32 8, i1 false)
  %8 = load i32, ptr %7, align 4
  call void @llvm.coro.destroy(ptr %4)
  %9 = call ptr @"main.count$coro"(i32 1)
  call void @report(i32 %8)
  call void @llvm.coro.destroy(ptr %9)
  call void @report(i32 10)
  %10 = mul i32 %8, 2
  call void @report(i32 %10)
  %11 = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %11, label %_llgo_suspend [
    i8 0, label %_llgo_trap
    i8 1, label %_llgo_cleanup
  ]

_llgo_trap:
  unreachable

_llgo_cleanup:
  %12 = call ptr @llvm.coro.free(token %0, ptr %3)
  call void @give(ptr %12)
  br label %_llgo_suspend

_llgo_suspend:
  %13 = call i1 @llvm.coro.end(ptr %3, i1 false, token none)
  ret ptr %3
}

define void @run() {
_llgo_0:
  %0 = call ptr @"main.work$coro"()
  br label %_llgo_1

_llgo_1:
  %1 = call i1 @llvm.coro.done(ptr %0)
  br i1 %1, label %_llgo_2, label %_llgo_3

_llgo_3:
  call void @llvm.coro.resume(ptr %0)
  br label %_llgo_1

_llgo_2:
  call void @llvm.coro.destroy(ptr %0)
  %2 = call i32 @frames()
  call void @report(i32 %2)
  ret void
}
