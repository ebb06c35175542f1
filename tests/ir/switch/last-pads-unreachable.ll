; Results of a landing pad may be used in unreachable blocks that still exist: such a pad stays. So does one with a
; later use in unreachable code.
; RUN: pycoro opt %s -S -verify-each -passes='cgscc(coro-split)' | FileCheck %s

; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: invoke void @run(i32 2)
; CHECK-NEXT: unwind label %two
; CHECK: two:
; CHECK-NEXT: %two.p = landingpad
; CHECK: call void @stop(ptr %two.e)

declare i32 @personality(...)
declare void @run(i32)
declare void @stop(ptr)
declare void @halt(ptr)
declare ptr @next(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)

define ptr @f() presplitcoroutine personality ptr @personality {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  invoke void @run(i32 1)
          to label %started unwind label %one

started:
  %suspend = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %suspend, label %end [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]

resumed:
  invoke void @run(i32 2)
          to label %destroyed unwind label %two

destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %end

end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle

one:
  %one.p = landingpad { ptr, i32 }
          catch ptr null
  %one.e = extractvalue { ptr, i32 } %one.p, 0
  call void @stop(ptr %one.e)
  unreachable

two:
  %two.p = landingpad { ptr, i32 }
          catch ptr null
  %two.e = extractvalue { ptr, i32 } %two.p, 0
  call void @stop(ptr %two.e)
  unreachable

unreachable:
  call void @stop(ptr %one.e)
  call void @stop(ptr %two.e)
  invoke void @run(i32 3)
          to label %unreachable.too unwind label %three

unreachable.too:
  invoke void @run(i32 4)
          to label %unreachable unwind label %four

three:
  %three.p = landingpad { ptr, i32 }
          catch ptr null
  %three.first = call ptr @next(ptr %three.second)
  %three.second = call ptr @next(ptr %three.first)
  call void @halt(ptr %three.second)
  unreachable

four:
  %four.p = landingpad { ptr, i32 }
          catch ptr null
  %four.first = call ptr @next(ptr %four.second)
  %four.second = call ptr @next(ptr %four.first)
  call void @halt(ptr %four.second)
  unreachable
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
