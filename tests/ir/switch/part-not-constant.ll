; The index of llvm.coro.subfn.addr may be any value before coro-cleanup: a non-constant is not simplified.
; RUN: not pycoro opt %s -passes='cgscc(coro-split),coro-cleanup' -disable-output 2>&1 | FileCheck %s
; RUN: pycoro opt %s -passes='cgscc(coro-split)' -S | FileCheck %s --check-prefix=SPLIT

; CHECK: error: coro.subfn.addr has an index for which a frame stores no address
; SPLIT-LABEL: define ptr @f(
; SPLIT: call ptr @llvm.coro.subfn.addr(ptr %frame, i8 %part)
; SPLIT-LABEL: define internal fastcc void @f.resume(

define ptr @f(ptr %memory, i8 %part) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %save = call token @llvm.coro.save(ptr %frame)
  %address = call ptr @llvm.coro.subfn.addr(ptr %frame, i8 %part)
  call fastcc void %address(ptr %frame)
  %s = call i8 @llvm.coro.suspend(token %save, i1 false)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare token @llvm.coro.save(ptr)
declare ptr @llvm.coro.subfn.addr(ptr, i8)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
