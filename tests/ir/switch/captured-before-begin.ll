; Before llvm.coro.begin the address of an alloca is stored, or passed to a call that returns it. What is stored through
; these copies after it is stored in the alloca. LLVM moves the alloca to the frame, and the copies to the ramp's stack
; dangle. @after prints the number of blocks that are not freed.
; RUN: pycoro opt -S -check-lowering -passes='coro-early,coro-split,coro-cleanup' %s -o %t.ll
; RUN: lli-22 %t.ll | FileCheck %s
; UNSUPPORTED: reference

; CHECK: 1 2 7 3
; CHECK-NEXT: 0 blocks
; CHECK-NEXT: 0 blocks
; CHECK-NEXT: 0 blocks

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare i32 @printf(ptr, ...)
@fmt = private constant [13 x i8] c"%d %d %d %d\0A\00"
@fmt.blocks = private constant [11 x i8] c"%d blocks\0A\00"
@blocks = global i32 0
@arena = global [1024 x i8] zeroinitializer, align 16
@used = global i64 0

; The allocator counts blocks, and never reuses memory.
define ptr @malloc(i64 %size) noinline {
  %count = load i32, ptr @blocks
  %more = add i32 %count, 1
  store i32 %more, ptr @blocks
  %at = load i64, ptr @used
  %up = add i64 %size, 15
  %rounded = and i64 %up, -16
  %next = add i64 %at, %rounded
  store i64 %next, ptr @used
  %block = getelementptr i8, ptr @arena, i64 %at
  ret ptr %block
}

define void @free(ptr %block) noinline {
  %none = icmp eq ptr %block, null
  %count = load i32, ptr @blocks
  %less = sub i32 %count, 1
  %left = select i1 %none, i32 %count, i32 %less
  store i32 %left, ptr @blocks
  ret void
}

define ptr @second(ptr %p) noinline optnone {
  %q = getelementptr i32, ptr %p, i64 1
  ret ptr %q
}

define void @print(ptr %a) noinline {
  %p1 = getelementptr i32, ptr %a, i64 1
  %p2 = getelementptr i32, ptr %a, i64 2
  %p3 = getelementptr i32, ptr %a, i64 3
  %v0 = load i32, ptr %a
  %v1 = load i32, ptr %p1
  %v2 = load i32, ptr %p2
  %v3 = load i32, ptr %p3
  %r = call i32 (ptr, ...) @printf(ptr @fmt, i32 %v0, i32 %v1, i32 %v2, i32 %v3)
  ret void
}

define ptr @f(i1 %fails) presplitcoroutine {
entry:
  %a = alloca [4 x i32]
  %slot = alloca ptr
  %q = call ptr @second(ptr %a)
  %p = getelementptr i32, ptr %q, i64 1
  %last = getelementptr i32, ptr %a, i64 3
  store ptr %last, ptr %slot
  store i32 1, ptr %a
  store i32 0, ptr %last
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  br i1 %fails, label %return, label %begin
begin:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  store i32 2, ptr %q
  store i32 7, ptr %p
  %stored = load ptr, ptr %slot
  store i32 3, ptr %stored
  call void @print(ptr %a)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  br label %return
return:
  %result = phi ptr [ null, %entry ], [ %handle, %out ]
  ret ptr %result
}

define void @after() noinline {
  %count = load i32, ptr @blocks
  %r = call i32 (ptr, ...) @printf(ptr @fmt.blocks, i32 %count)
  ret void
}

define i32 @main() {
  %resumed = call ptr @f(i1 false)
  call void @llvm.coro.resume(ptr %resumed)
  call void @after()
  %destroyed = call ptr @f(i1 false)
  call void @llvm.coro.destroy(ptr %destroyed)
  call void @after()
  %none = call ptr @f(i1 true)
  call void @after()
  ret i32 0
}
