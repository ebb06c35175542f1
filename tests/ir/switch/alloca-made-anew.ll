; Each execution of an alloca creates new memory, also for a constant size. If memory of different executions lives
; across a suspend, it is on the heap, as dynamic allocas are; otherwise it is unchanged.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup,default<O2>' -verify-each -S -o %t.2.ll
; RUN: lli-22 %t.2.ll | FileCheck %s --check-prefix=OUT

; CHECK-LABEL: define {{.*}}@linked(
; CHECK: call ptr @malloc(i64 32)
; CHECK-LABEL: define {{.*}}@carried(
; CHECK: call ptr @malloc(i64 24)
; CHECK-LABEL: define {{.*}}@at_once(
; CHECK-NOT: @malloc
; CHECK: loop:
; CHECK: alloca %node
; CHECK-NOT: @malloc
; CHECK: ret ptr

; OUT: 3 2 1 0
; OUT-NEXT: 7 0 1 1 99
; OUT-NEXT: 7 0 1 2

%node = type { ptr, i32 }
@int = private constant [4 x i8] c"%d \00"
@line = private constant [2 x i8] c"\0A\00"
@seven = internal global i32 7

; A list of what the loop makes: the address is in the next.
define ptr @linked(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @allocate(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %list = phi ptr [ null, %entry ], [ %one, %loop ]
  %one = alloca %node
  store ptr %list, ptr %one
  %field = getelementptr i8, ptr %one, i64 8
  store i32 %i, ptr %field
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %made

made:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  call void @show_list(ptr %one)
  br label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

; The address of the time before is used when control has come round, and the lifetime of the last one starts again.
define ptr @carried(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @allocate(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %before = phi ptr [ @seven, %entry ], [ %one, %loop ]
  %one = alloca [2 x i32]
  call void @llvm.lifetime.start.p0(ptr %one)
  store i32 %i, ptr %one
  %was = load i32, ptr %before
  call void @show(i32 %was)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %made

made:
  %still = load i32, ptr %before
  call void @show(i32 %still)
  call void @llvm.lifetime.end.p0(ptr %one)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  call void @llvm.lifetime.start.p0(ptr %one)
  store i32 99, ptr %one
  %last = load i32, ptr %one
  call void @show(i32 %last)
  call void @llvm.lifetime.end.p0(ptr %one)
  br label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

; All of it is over before the suspend, and nobody else has an address.
define ptr @at_once(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @allocate(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %before = phi ptr [ @seven, %entry ], [ %one, %loop ]
  %one = alloca %node
  store i32 %i, ptr %one
  %was = load i32, ptr %before
  call void @show(i32 %was)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %made

made:
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

define void @show_list(ptr %list) noinline {
entry:
  br label %loop

loop:
  %at = phi ptr [ %list, %entry ], [ %next, %loop ]
  %field = getelementptr i8, ptr %at, i64 8
  %value = load i32, ptr %field
  call void @show(i32 %value)
  %next = load ptr, ptr %at
  %end = icmp eq ptr %next, null
  br i1 %end, label %done, label %loop

done:
  ret void
}

define void @show(i32 %v) noinline {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define void @end_line() {
  %printed = call i32 (ptr, ...) @printf(ptr @line)
  ret void
}

define ptr @allocate(i64 %size) {
  %memory = call ptr @malloc(i64 %size)
  ret ptr %memory
}

define i32 @main() {
  %l = call ptr @linked(i32 4)
  call void @llvm.coro.resume(ptr %l)
  call void @end_line()
  %c = call ptr @carried(i32 3)
  call void @llvm.coro.resume(ptr %c)
  call void @end_line()
  %o = call ptr @at_once(i32 4)
  call void @llvm.coro.resume(ptr %o)
  call void @end_line()
  ret i32 0
}

declare i32 @printf(ptr, ...)
declare ptr @malloc(i64)
declare void @free(ptr)
