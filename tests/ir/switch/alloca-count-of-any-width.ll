; The count of an alloca may be an integer of any width; a size beyond the address space is rejected, not truncated to
; 64 bits.
; RUN: split-file %s %t
; RUN: pycoro opt %t/small.ll -passes='coro-early,cgscc(coro-split),coro-cleanup' -S | FileCheck %s
; RUN: not pycoro opt %t/huge.ll -passes='coro-early,cgscc(coro-split),coro-cleanup' -S 2>&1 | FileCheck %s --check-prefix=HUGE

; CHECK: define internal fastcc void @f.resume(ptr noundef nonnull align 8 dereferenceable(40)
; HUGE: error: the frame is larger than the address space

;--- small.ll
define ptr @f(ptr %memory) presplitcoroutine {
entry:
  %bytes = alloca i8, i128 17
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @use(ptr %bytes)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %gone = icmp slt i8 %s, 0
  br i1 %gone, label %suspend, label %more

more:
  call void @use(ptr %bytes)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare void @use(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)

;--- huge.ll
define ptr @f(ptr %memory) presplitcoroutine {
entry:
  %bytes = alloca i8, i128 18446744073709551633
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @use(ptr %bytes)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %gone = icmp slt i8 %s, 0
  br i1 %gone, label %suspend, label %more

more:
  call void @use(ptr %bytes)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare void @use(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
