; Memory from llvm.coro.alloca.alloc. If it is freed before any suspend it is on the stack, which is restored unless the
; function returns at once. Otherwise it is on the heap until it or the frame is freed; its address replaces the token.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup,default<O2>' -verify-each -S -o %t.O2.ll
; RUN: lli-22 %t.O2.ll | FileCheck %s --check-prefix=OUT

; The number behind the words is how many blocks are left: one of each round was never freed, and goes with the frame.
; OUT: 1 1 2 4 3 9 done 0
; OUT-NEXT: 1 1 2 4 destroyed 0

; CHECK-LABEL: define ptr @kept(
; CHECK: store ptr %[[BLOCK:.*]], ptr %token.spill.addr
; CHECK-NEXT: %[[BEHIND:.*]] = getelementptr inbounds i8, ptr %[[BLOCK]], i64 16
; CHECK-NOT: %second.spill.addr
; CHECK-LABEL: define ptr @local(
; CHECK: %[[MARK:.*]] = call ptr @llvm.stacksave.p0()
; CHECK-NEXT: %[[MEMORY:.*]] = alloca i8, i32 %n, align 32
; CHECK: call void @fill(ptr %[[MEMORY]], i32 %n)
; CHECK: call void @llvm.stackrestore.p0(ptr %[[MARK]])
; CHECK-NOT: llvm.stacksave
; CHECK: alloca i8, i32 %n, align 1
; CHECK-NOT: llvm.stackrestore
; CHECK-LABEL: define internal fastcc void @kept.resume(
; CHECK: call void @kept.drop(ptr %{{.*}}, ptr %token.reload)
; CHECK: call void @kept.release(
; CHECK-LABEL: define internal void @kept.drop(ptr %0, ptr %1)

@pair = private constant [7 x i8] c"%d %d \00"
@done = private constant [9 x i8] c"done %d\0A\00"
@destroyed = private constant [14 x i8] c"destroyed %d\0A\00"
@live = global i32 0

define ptr @kept(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop

loop:
  %i = phi i32 [ 1, %entry ], [ %next, %resume ]
  %bytes = mul i32 %i, 4
  %lost = call token @llvm.coro.alloca.alloc.i32(i32 %bytes, i32 4)
  %first = call ptr @llvm.coro.alloca.get(token %lost)
  store i32 %i, ptr %first
  %token = call token @llvm.coro.alloca.alloc.i32(i32 %bytes, i32 64)
  %second = call ptr @llvm.coro.alloca.get(token %token)
  %square = mul i32 %i, %i
  store i32 %square, ptr %second
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  %again = call ptr @llvm.coro.alloca.get(token %token)
  %a = load i32, ptr %first
  %b = load i32, ptr %again
  %address = ptrtoint ptr %again to i64
  %low = and i64 %address, 63
  %aligned = icmp eq i64 %low, 0
  %c = select i1 %aligned, i32 %b, i32 -1
  call i32 (ptr, ...) @printf(ptr @pair, i32 %a, i32 %c)
  call void @llvm.coro.alloca.free(token %token)
  %next = add i32 %i, 1
  %over = icmp sgt i32 %next, %n
  br i1 %over, label %final, label %loop

final:
  %f = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %f, label %suspend [
    i8 1, label %cleanup
  ]

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @local(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %token = call token @llvm.coro.alloca.alloc.i32(i32 %n, i32 32)
  %room = call ptr @llvm.coro.alloca.get(token %token)
  call void @fill(ptr %room, i32 %n)
  call void @llvm.coro.alloca.free(token %token)
  br label %more

more:
  %more.to.do = call i1 @more()
  br i1 %more.to.do, label %more, label %last

last:
  %token.2 = call token @llvm.coro.alloca.alloc.i32(i32 %n, i32 0)
  %room.2 = call ptr @llvm.coro.alloca.get(token %token.2)
  call void @fill(ptr %room.2, i32 %n)
  call void @llvm.coro.alloca.free(token %token.2)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %cleanup
    i8 1, label %cleanup
  ]

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define void @fill(ptr %room, i32 %n) {
  %wide = zext i32 %n to i64
  call void @llvm.memset.p0.i64(ptr %room, i8 1, i64 %wide, i1 false)
  ret void
}

define i1 @more() {
  ret i1 false
}

; The blocks are counted.
define ptr @malloc(i64 %size) noinline {
  %now = load i32, ptr @live
  %more = add i32 %now, 1
  store i32 %more, ptr @live
  %memory = call ptr @calloc(i64 1, i64 %size)
  ret ptr %memory
}

define void @free(ptr %memory) noinline {
  %now = load i32, ptr @live
  %less = sub i32 %now, 1
  store i32 %less, ptr @live
  %nothing = call ptr @realloc(ptr %memory, i64 0)
  ret void
}

define i32 @main() {
  %handle = call ptr @kept(i32 3)
  br label %loop

loop:
  call void @llvm.coro.resume(ptr %handle)
  %done = call i1 @llvm.coro.done(ptr %handle)
  br i1 %done, label %over, label %loop

over:
  call void @llvm.coro.destroy(ptr %handle)
  %left = load i32, ptr @live
  call i32 (ptr, ...) @printf(ptr @done, i32 %left)
  %other = call ptr @kept(i32 3)
  call void @llvm.coro.resume(ptr %other)
  call void @llvm.coro.resume(ptr %other)
  call void @llvm.coro.destroy(ptr %other)
  %left.2 = load i32, ptr @live
  call i32 (ptr, ...) @printf(ptr @destroyed, i32 %left.2)
  %third = call ptr @local(i32 100)
  call void @llvm.coro.resume(ptr %third)
  ret i32 0
}

declare ptr @calloc(i64, i64)
declare ptr @realloc(ptr, i64)
declare i32 @printf(ptr, ...)
