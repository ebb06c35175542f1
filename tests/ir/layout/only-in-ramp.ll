; A region that runs only if llvm.coro.is_in_ramp is true is not in a clone, so nothing is spilled for it (LLVM pull request
; 198226). @g branches on it between a resumed suspend and the return, as clang does for the conversion of the result.
; UNSUPPORTED: reference
; RUN: pycoro explain %s | FileCheck %s --check-prefix=FRAME
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %s | FileCheck %s

; FRAME: frame of @f: 16 bytes
; FRAME: frame of @g: 16 bytes

; CHECK: define ptr @f(
; CHECK: store i64 %x, ptr %out
; CHECK: define ptr @g(
; CHECK: store i64 %x, ptr %out
; CHECK: define {{.*}}@f.resume(
; CHECK-NOT: store i64
; CHECK-NOT: @llvm.coro

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare i1 @llvm.coro.is_in_ramp()
declare void @free(ptr)
declare i64 @compute(i64)
declare void @use(i64)
define ptr @f(ptr %memory, ptr %out, i64 %n) presplitcoroutine {
entry:
  %local = alloca [16 x i64]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %x = call i64 @compute(i64 %n)
  store i64 %x, ptr %local
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %cleanup
    i8 1, label %cleanup
  ]
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %suspend
suspend:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  %in = call i1 @llvm.coro.is_in_ramp()
  br i1 %in, label %ramp, label %done
ramp:
  %y = load i64, ptr %local
  store i64 %y, ptr %out
  store i64 %x, ptr %out
  br label %done
done:
  ret ptr %handle
}
define ptr @g(ptr %memory, ptr %out, i64 %n) presplitcoroutine {
entry:
  %local = alloca [16 x i64]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %x = call i64 @compute(i64 %n)
  store i64 %x, ptr %local
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]
resume:
  br label %conv
suspend:
  br label %conv
conv:
  %done = phi i1 [ true, %resume ], [ false, %suspend ]
  %in = call i1 @llvm.coro.is_in_ramp()
  br i1 %in, label %ramp, label %after
ramp:
  %y = load i64, ptr %local
  store i64 %y, ptr %out
  store i64 %x, ptr %out
  br label %after
after:
  br i1 %done, label %cleanup, label %ret
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %ret
ret:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
