; Paths with and without a frame (allocation failed) meet. An alloca in the frame is the field on paths through
; llvm.coro.begin and the stack slot on the rest: also for addresses computed before.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup,default<O2>' -verify-each -S -o %t.2.ll
; RUN: lli-22 %t.2.ll | FileCheck %s --check-prefix=OUT

; CHECK-LABEL: define i32 @f(
; CHECK: ret.block:
; CHECK-NEXT: [[SECOND:%.*]] = phi ptr [ %second{{[0-9]*}}, %no.memory ], [ {{.*}}, %suspend.after ]
; CHECK-NEXT: [[PAIR:%.*]] = phi ptr [ %pair{{[0-9]*}}, %no.memory ], [ %pair.reload.addr, %suspend.after ]
; CHECK-NEXT: load i32, ptr [[PAIR]]
; CHECK-LABEL: define i32 @looped(

; OUT: 100 101 7 8 8 9
; OUT-NEXT: 100 7 7 8

@int = private constant [4 x i8] c"%d \00"
@line = private constant [2 x i8] c"\0A\00"
@handle = internal global ptr null
@there = internal global ptr null

define i32 @f(i1 %fail) presplitcoroutine {
entry:
  %pair = alloca [2 x i32]
  %second = getelementptr i8, ptr %pair, i64 4
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  br i1 %fail, label %no.memory, label %ok

no.memory:
  call void @set(ptr %pair, i32 100)
  br label %ret.block

ok:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr %frame, ptr @handle
  call void @set(ptr %pair, i32 7)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  call void @again()
  %changed = load i32, ptr %pair
  call void @show(i32 %changed)
  %other = load i32, ptr %second
  call void @show(i32 %other)
  br label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  br label %ret.block

ret.block:
  %first.value = load i32, ptr %pair
  call void @show(i32 %first.value)
  %second.value = load i32, ptr %second
  call void @show(i32 %second.value)
  ret i32 0
}

; Control comes to the meeting place again; the address is made anew behind it.
define i32 @looped(i1 %fail) presplitcoroutine {
entry:
  %pair = alloca [2 x i32]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  br i1 %fail, label %no.memory, label %ok

no.memory:
  call void @set(ptr %pair, i32 100)
  br label %met

ok:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @set(ptr %pair, i32 7)
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
  br label %met

met:
  %i = phi i64 [ 0, %no.memory ], [ 0, %suspend ], [ %next, %turn ]
  br i1 %fail, label %out, label %turn

turn:
  %at = getelementptr i32, ptr %pair, i64 %i
  %first = load i32, ptr %pair
  call void @show(i32 %first)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 2
  br i1 %more, label %met, label %out

out:
  %last = phi ptr [ %pair, %met ], [ %at, %turn ]
  %value = load i32, ptr %last
  call void @show(i32 %value)
  ret i32 0
}

define void @set(ptr %pair, i32 %v) noinline optnone {
  store ptr %pair, ptr @there
  store i32 %v, ptr %pair
  %second = getelementptr i32, ptr %pair, i64 1
  %next = add i32 %v, 1
  store i32 %next, ptr %second
  ret void
}

define void @again() noinline optnone {
  %pair = load ptr, ptr @there
  %v = load i32, ptr %pair
  %next = add i32 %v, 1
  call void @set(ptr %pair, i32 %next)
  ret void
}

define void @show(i32 %v) noinline {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define i32 @main() {
  %1 = call i32 @f(i1 true)
  %2 = call i32 @f(i1 false)
  %h = load ptr, ptr @handle
  call void @llvm.coro.resume(ptr %h)
  %3 = call i32 (ptr, ...) @printf(ptr @line)
  %4 = call i32 @looped(i1 true)
  %5 = call i32 @looped(i1 false)
  %6 = call i32 (ptr, ...) @printf(ptr @line)
  ret i32 0
}

declare i32 @printf(ptr, ...)
declare ptr @malloc(i64)
declare void @free(ptr)
