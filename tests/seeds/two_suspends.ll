; Two suspend points, so that the frame must hold which one it is: print(n++), suspend, print(-n), suspend, again.
; The document's coroutine computes the second number as `xor %n, -1`, which is -(n + 1): the n after the increment, as
; its pseudo-code says. Its hand-made picture of the lowered function has `sub 0, %n` of the n before, which would say
; -4 for -5; what the coroutine itself says is the rule: 4 -5 5 -6 6.

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call noalias ptr @llvm.coro.begin(token %id, ptr %mem)
  br label %loop

loop:
  %now = phi i32 [ %n, %entry ], [ %next, %negative ]
  call void @print(i32 %now)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %suspend [ i8 0, label %negative
                                  i8 1, label %cleanup ]

negative:
  %next = add nsw i32 %now, 1
  %minus = xor i32 %now, -1
  call void @print(i32 %minus)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %suspend [ i8 0, label %loop
                                  i8 1, label %cleanup ]

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define i32 @main() {
  %hdl = call ptr @f(i32 4)
  call void @llvm.coro.resume(ptr %hdl)
  call void @llvm.coro.resume(ptr %hdl)
  call void @llvm.coro.resume(ptr %hdl)
  call void @llvm.coro.resume(ptr %hdl)
  call void @llvm.coro.destroy(ptr %hdl)
  ret i32 0
}

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
