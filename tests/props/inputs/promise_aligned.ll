; A promise aligned to 32, written by both sides; its address is found again from the handle.
; oracle: f(i32 4) promise="i32, align 32"

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %promise = alloca i32, align 32
  %id = call token @llvm.coro.id(i32 32, ptr %promise, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %align = call i64 @llvm.coro.align.i64()
  %mem = call ptr @aligned_alloc(i64 %align, i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store i32 %n, ptr %promise
  br label %loop

loop:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %again
    i8 1, label %cleanup ]

again:
  %addr = call ptr @llvm.coro.promise(ptr %hdl, i32 32, i1 false)
  %v = load i32, ptr %addr
  %same = icmp eq ptr %addr, %promise
  %bit = zext i1 %same to i32
  call void @print(i32 %bit)
  %w = mul i32 %v, 2
  store i32 %w, ptr %promise
  br label %loop

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

declare void @print(i32)
declare void @free(ptr)
declare ptr @aligned_alloc(i64, i64)
