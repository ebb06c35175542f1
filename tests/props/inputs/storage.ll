; Memory from llvm.coro.alloca.alloc that is freed before the next suspend: in a loop, and on one of two ways.
; oracle: f(i32 3)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br label %loop

loop:
  %i = phi i32 [ %n, %entry ], [ %next, %again ]
  %bytes = mul i32 %i, 16
  %room = call token @llvm.coro.alloca.alloc.i32(i32 %bytes, i32 8)
  %at = call ptr @llvm.coro.alloca.get(token %room)
  store i32 %i, ptr %at
  call void @bump(ptr %at)
  %value = load i32, ptr %at
  call void @print(i32 %value)
  call void @llvm.coro.alloca.free(token %room)
  %even = trunc i32 %i to i1
  br i1 %even, label %inner, label %wait

inner:
  %k = phi i32 [ 8, %loop ], [ %half, %inner ]
  %more = call token @llvm.coro.alloca.alloc.i32(i32 %k, i32 4)
  %there = call ptr @llvm.coro.alloca.get(token %more)
  store i32 %k, ptr %there
  call void @bump(ptr %there)
  %bumped = load i32, ptr %there
  call void @print(i32 %bumped)
  call void @llvm.coro.alloca.free(token %more)
  %half = lshr i32 %k, 1
  %last = icmp ult i32 %k, 5
  br i1 %last, label %wait, label %inner

wait:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %again
    i8 1, label %cleanup ]

again:
  %next = add i32 %i, 1
  br label %loop

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define void @bump(ptr %at) noinline {
  %old = load i32, ptr %at
  %new = add i32 %old, 1
  store i32 %new, ptr %at
  ret void
}

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
