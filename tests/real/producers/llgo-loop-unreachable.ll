; producer: LLGo, LLGO_CORO=1
; llvm: 19
; abi: switch
; expect: 5 4 3 0
;
; A loop with two suspends and no promise. The switch after the final suspend names a block with `unreachable` for its
; resumption (xgo-dev/llgo#1529 saw wrong WebAssembly from LLVM 21 for such loops).

declare ptr @take(i64)
declare void @give(ptr)
declare void @report(i32)
declare i32 @frames()
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare i1 @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)

define ptr @"main.down$coro"(i32 %0) presplitcoroutine {
_llgo_0:
  %1 = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %2 = call i64 @llvm.coro.size.i64()
  %3 = call ptr @take(i64 %2)
  %4 = call ptr @llvm.coro.begin(token %1, ptr %3)
  br label %_llgo_1

_llgo_1:
  %5 = phi i32 [ %0, %_llgo_0 ], [ %10, %_llgo_4 ]
  %6 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %6, label %_llgo_7 [
    i8 0, label %_llgo_2
    i8 1, label %_llgo_6
  ]

_llgo_2:
  call void @report(i32 %5)
  %7 = and i32 %5, 1
  %8 = icmp eq i32 %7, 0
  br i1 %8, label %_llgo_3, label %_llgo_4

_llgo_3:
  %9 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %9, label %_llgo_7 [
    i8 0, label %_llgo_4
    i8 1, label %_llgo_6
  ]

_llgo_4:
  %10 = sub i32 %5, 1
  %11 = icmp sgt i32 %10, 2
  br i1 %11, label %_llgo_1, label %_llgo_5

_llgo_5:
  %12 = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %12, label %_llgo_7 [
    i8 0, label %_llgo_8
    i8 1, label %_llgo_6
  ]

_llgo_8:
  unreachable

_llgo_6:
  %13 = call ptr @llvm.coro.free(token %1, ptr %4)
  call void @give(ptr %13)
  br label %_llgo_7

_llgo_7:
  %14 = call i1 @llvm.coro.end(ptr %4, i1 false, token none)
  ret ptr %4
}

define void @run() {
_llgo_0:
  %0 = call ptr @"main.down$coro"(i32 5)
  call void @llvm.coro.resume(ptr %0)
  call void @llvm.coro.resume(ptr %0)
  call void @llvm.coro.resume(ptr %0)
  call void @llvm.coro.resume(ptr %0)
  call void @llvm.coro.destroy(ptr %0)
  %1 = call i32 @frames()
  call void @report(i32 %1)
  ret void
}
