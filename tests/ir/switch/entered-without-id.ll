; The token of coro.begin identifies the coroutine of a suspend that is resumed at once: a token other than coro.id's is
; rejected without reading operands that it lacks.
; RUN: sed 's/TOKEN/undef/' %s > %t.undef.ll
; RUN: not pycoro opt %t.undef.ll -passes='cgscc(coro-split)' -S 2>&1 | FileCheck %s
; RUN: sed 's/TOKEN/none/' %s > %t.none.ll
; RUN: not pycoro opt %t.none.ll -passes='cgscc(coro-split)' -S 2>&1 | FileCheck %s
; RUN: sed 's/TOKEN/%%save/' %s > %t.save.ll
; RUN: not pycoro opt %t.save.ll -passes='cgscc(coro-split)' -S 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: define
; CHECK: llvm.coro.begin does not use this coroutine's id
define ptr @f(ptr %memory) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %save = call token @llvm.coro.save(ptr null)
  %frame = call ptr @llvm.coro.begin(token TOKEN, ptr %memory)
  %address = call ptr @llvm.coro.subfn.addr(ptr %frame, i8 0)
  call fastcc void %address(ptr %frame)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %suspend
  ]

resume:
  call void @print(i32 0)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare void @print(i32)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare token @llvm.coro.save(ptr)
declare ptr @llvm.coro.subfn.addr(ptr, i8)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
