; A coroutine created by a ramp call that is not inlined has its frame in its caller's if the caller only leaves after
; its end, or if no other function can reach it; otherwise it allocates. The output is the same.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,coro-split,function(coro-elide),coro-cleanup' %s -verify-each -o %t.ll --pass-remarks-missed=coro-elide 2>&1 | FileCheck %s --check-prefix=WHY
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; RUN: pycoro opt -S -passes='coro-early,coro-split,coro-cleanup' %s | lli-22 | FileCheck %s --check-prefix=PLAIN

; WHY-DAG: 'gen' not elided in 'stored': its handle is stored to @where, and a path to a return does not destroy it
; WHY-DAG: 'gen' not elided in 'returned': its handle is returned, and a path to a return does not destroy it
; WHY-DAG: 'gen' not elided in 'two_alive': it may be created again before it is destroyed
; WHY-DAG: 'gen' not elided in 'thrown_past': its handle is stored to @where, and an exception may exit without destroying it
; WHY-DAG: 'gen' not elided in 'given_away': its handle is passed to @keep, which may capture it, and a path to a return does not destroy it
; WHY-DAG: 'gen' not elided in 'tail': its handle is an argument of a musttail call, which ends the caller's stack frame
; WHY-DAG: 'gen' not elided in 'on_one_way': its handle is stored to @where, and a path to a return does not destroy it

; CHECK-LABEL: define i32 @in_order(
; CHECK: %gen.frame = alloca [24 x i8], align 8
; CHECK: call ptr @gen.noalloc(i32 0, ptr %gen.frame)
; CHECK: call fastcc void @gen.resume(
; CHECK: call fastcc void @gen.cleanup(
; OUT: in_order 3 allocations 0
; OUT: in_loop 3 allocations 0
; OUT: in_object 1 allocations 0
; OUT: in_struct 1 allocations 0
; OUT: moved 1 allocations 0
; OUT: helped 1 allocations 0
; OUT: left 1 allocations 0
; OUT: either 7 allocations 0
; OUT: two_alive 3 allocations 2
; OUT: stored 1 allocations 1
; OUT: on_one_way 0 allocations 1
; PLAIN: in_order 3 allocations 1
; PLAIN: in_loop 3 allocations 3
; PLAIN: in_object 1 allocations 1
; PLAIN: in_struct 1 allocations 1
; PLAIN: moved 1 allocations 1
; PLAIN: helped 1 allocations 1
; PLAIN: left 1 allocations 1
; PLAIN: either 7 allocations 1
; PLAIN: two_alive 3 allocations 2
; PLAIN: stored 1 allocations 1
; PLAIN: on_one_way 0 allocations 1

; CHECK-LABEL: define internal ptr @gen.noalloc(i32 %from, ptr noundef nonnull align 8 dereferenceable(24) %0)
; CHECK-NOT: llvm.coro

target triple = "x86_64-unknown-linux-gnu"

define internal ptr @gen(i32 %from) presplitcoroutine noinline {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %fresh = call ptr @alloc(i64 %size)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br label %loop
loop:
  %i = phi i32 [ %from, %begin ], [ %next, %resume ]
  store i32 %i, ptr %promise
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [i8 0, label %resume
                            i8 1, label %destroy]
resume:
  %next = add i32 %i, 1
  br label %loop
destroy:
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  %heap = icmp ne ptr %old, null
  br i1 %heap, label %release, label %end
release:
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

; As C++ has it: an object with the handle in it is where the caller wants it.
define internal void @gen_object(ptr noalias sret({ ptr }) %object, i32 %from) presplitcoroutine noinline {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %fresh = call ptr @alloc(i64 %size)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store ptr %hdl, ptr %object
  store i32 %from, ptr %promise
  %s = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s, label %end [i8 1, label %destroy]
destroy:
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  %heap = icmp ne ptr %old, null
  br i1 %heap, label %release, label %end
release:
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret void
}

define internal { ptr, i32 } @gen_struct(i32 %from) presplitcoroutine noinline {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %fresh = call ptr @alloc(i64 %size)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store i32 %from, ptr %promise
  %s = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s, label %end [i8 1, label %destroy]
destroy:
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  %heap = icmp ne ptr %old, null
  br i1 %heap, label %release, label %end
release:
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  %half = insertvalue { ptr, i32 } poison, i32 %from, 1
  %both = insertvalue { ptr, i32 } %half, ptr %hdl, 0
  ret { ptr, i32 } %both
}

define i32 @in_order() noinline {
  %h = call ptr @gen(i32 0)
  call void @llvm.coro.resume(ptr %h)
  call void @llvm.coro.resume(ptr %h)
  call void @llvm.coro.resume(ptr %h)
  %value = call i32 @value(ptr %h)
  call void @llvm.coro.destroy(ptr %h)
  ret i32 %value
}

; One at a time.
define i32 @in_loop() noinline {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %h = call ptr @gen(i32 %i)
  %value = call i32 @value(ptr %h)
  call void @llvm.coro.destroy(ptr %h)
  %more = add i32 %sum, %value
  %next = add i32 %i, 1
  %on = icmp ult i32 %next, 3
  br i1 %on, label %loop, label %over
over:
  ret i32 %more
}

define i32 @in_object() noinline {
  %object = alloca { ptr }
  call void @gen_object(ptr sret({ ptr }) %object, i32 1)
  %h = load ptr, ptr %object
  %value = call i32 @value(ptr %h)
  %again = load ptr, ptr %object
  %none = icmp eq ptr %again, null
  br i1 %none, label %over, label %destroy
destroy:
  call void @llvm.coro.destroy(ptr %again)
  br label %over
over:
  ret i32 %value
}

define i32 @in_struct() noinline {
  %both = call { ptr, i32 } @gen_struct(i32 1)
  %h = extractvalue { ptr, i32 } %both, 0
  %value = call i32 @value(ptr %h)
  call void @llvm.coro.destroy(ptr %h)
  ret i32 %value
}

; From one owner to another: who has it last destroys it.
define i32 @moved(i1 %move) noinline {
entry:
  %a = alloca ptr
  %b = alloca ptr
  %h = call ptr @gen(i32 1)
  store ptr %h, ptr %a
  store ptr null, ptr %b
  br i1 %move, label %hand, label %use
hand:
  %handed = load ptr, ptr %a
  store ptr null, ptr %a
  store ptr %handed, ptr %b
  br label %use
use:
  %value = call i32 @value(ptr %h)
  %in.b = load ptr, ptr %b
  %b.none = icmp eq ptr %in.b, null
  br i1 %b.none, label %behind.b, label %destroy.b
destroy.b:
  call void @llvm.coro.destroy(ptr %in.b)
  br label %behind.b
behind.b:
  %in.a = load ptr, ptr %a
  %a.none = icmp eq ptr %in.a, null
  br i1 %a.none, label %behind.a, label %destroy.a
destroy.a:
  call void @llvm.coro.destroy(ptr %in.a)
  br label %behind.a
behind.a:
  ret i32 %value
}

; Functions that are not inlined: one returns the handle, one destroys what an object holds.
define i32 @helped() noinline {
  %object = alloca { i32, ptr }
  %h = call ptr @gen(i32 0)
  %same = call ptr @step(ptr %h)
  %slot = getelementptr { i32, ptr }, ptr %object, i32 0, i32 1
  store ptr %same, ptr %slot
  %value = call i32 @value(ptr %same)
  call void @drop(ptr %object)
  ret i32 %value
}

define internal ptr @step(ptr %h) noinline {
  call void @llvm.coro.resume(ptr %h)
  ret ptr %h
}

define internal void @drop(ptr %object) noinline {
  %slot = getelementptr { i32, ptr }, ptr %object, i32 0, i32 1
  %h = load ptr, ptr %slot
  call void @llvm.coro.destroy(ptr %h)
  store ptr null, ptr %slot
  ret void
}

; Nobody destroys it, and nobody could.
define i32 @left() noinline {
  %h = call ptr @gen(i32 0)
  call void @llvm.coro.resume(ptr %h)
  %value = call i32 @value(ptr %h)
  ret i32 %value
}

define i32 @either(i1 %which) noinline {
entry:
  br i1 %which, label %one, label %other
one:
  %a = call ptr @gen(i32 7)
  br label %use
other:
  %b = call ptr @gen(i32 8)
  br label %use
use:
  %h = phi ptr [ %a, %one ], [ %b, %other ]
  %value = call i32 @value(ptr %h)
  call void @llvm.coro.destroy(ptr %h)
  ret i32 %value
}

define i32 @two_alive() noinline {
entry:
  br label %loop
loop:
  %i = phi i32 [ 1, %entry ], [ 2, %loop ]
  %before = phi ptr [ null, %entry ], [ %h, %loop ]
  %h = call ptr @gen(i32 %i)
  %second = icmp ne ptr %before, null
  br i1 %second, label %over, label %loop
over:
  %x = call i32 @value(ptr %before)
  %y = call i32 @value(ptr %h)
  call void @llvm.coro.destroy(ptr %before)
  call void @llvm.coro.destroy(ptr %h)
  %sum = add i32 %x, %y
  ret i32 %sum
}

define i32 @stored() noinline {
  %h = call ptr @gen(i32 1)
  store ptr %h, ptr @where
  %value = call i32 @value(ptr %h)
  ret i32 %value
}

define ptr @returned() noinline {
  %h = call ptr @gen(i32 1)
  ret ptr %h
}

define i32 @thrown_past() noinline {
  %h = call ptr @gen(i32 1)
  store ptr %h, ptr @where
  call void @may_throw()
  call void @llvm.coro.destroy(ptr %h)
  ret i32 0
}

define i32 @given_away() noinline {
  %h = call ptr @gen(i32 1)
  call void @keep(ptr %h)
  ret i32 0
}


define fastcc void @tail(ptr %unused) noinline {
  %h = call ptr @gen(i32 1)
  %resume = call ptr @llvm.coro.subfn.addr(ptr %h, i8 0)
  musttail call fastcc void %resume(ptr %h)
  ret void
}

define i32 @on_one_way(i1 %store) noinline {
entry:
  %h = call ptr @gen(i32 0)
  br i1 %store, label %stored, label %destroyed
stored:
  store ptr %h, ptr @where
  br label %over
destroyed:
  call void @llvm.coro.destroy(ptr %h)
  br label %over
over:
  ret i32 0
}

define internal i32 @value(ptr %h) noinline nounwind {
  %promise = call ptr @llvm.coro.promise(ptr %h, i32 4, i1 false)
  %value = load i32, ptr %promise
  ret i32 %value
}

define internal void @report(ptr %name, i32 %value) noinline {
  %n = load i32, ptr @allocations
  call i32 (ptr, ...) @printf(ptr @text, ptr %name, i32 %value, i32 %n)
  store i32 0, ptr @allocations
  ret void
}

define i32 @main() {
  %1 = call i32 @in_order()
  call void @report(ptr @n.in_order, i32 %1)
  %2 = call i32 @in_loop()
  call void @report(ptr @n.in_loop, i32 %2)
  %3 = call i32 @in_object()
  call void @report(ptr @n.in_object, i32 %3)
  %4 = call i32 @in_struct()
  call void @report(ptr @n.in_struct, i32 %4)
  %5 = call i32 @moved(i1 true)
  call void @report(ptr @n.moved, i32 %5)
  %6 = call i32 @helped()
  call void @report(ptr @n.helped, i32 %6)
  %7 = call i32 @left()
  call void @report(ptr @n.left, i32 %7)
  %8 = call i32 @either(i1 true)
  call void @report(ptr @n.either, i32 %8)
  %9 = call i32 @two_alive()
  call void @report(ptr @n.two_alive, i32 %9)
  %10 = call i32 @stored()
  call void @report(ptr @n.stored, i32 %10)
  %h = load ptr, ptr @where
  call void @llvm.coro.destroy(ptr %h)
  %11 = call i32 @on_one_way(i1 true)
  call void @report(ptr @n.on_one_way, i32 %11)
  %h2 = load ptr, ptr @where
  call void @llvm.coro.destroy(ptr %h2)
  ret i32 0
}

@where = global ptr null
@allocations = global i32 0
@text = private constant [22 x i8] c"%s %d allocations %d\0A\00"
@n.in_order = private constant [9 x i8] c"in_order\00"
@n.in_loop = private constant [8 x i8] c"in_loop\00"
@n.in_object = private constant [10 x i8] c"in_object\00"
@n.in_struct = private constant [10 x i8] c"in_struct\00"
@n.moved = private constant [6 x i8] c"moved\00"
@n.helped = private constant [7 x i8] c"helped\00"
@n.left = private constant [5 x i8] c"left\00"
@n.either = private constant [7 x i8] c"either\00"
@n.two_alive = private constant [10 x i8] c"two_alive\00"
@n.stored = private constant [7 x i8] c"stored\00"
@n.on_one_way = private constant [11 x i8] c"on_one_way\00"

define ptr @alloc(i64 %size) noinline {
  %a = load i32, ptr @allocations
  %b = add i32 %a, 1
  store i32 %b, ptr @allocations
  %p = call ptr @malloc(i64 %size)
  ret ptr %p
}

define void @may_throw() noinline {
  ret void
}

define void @keep(ptr %h) noinline nounwind {
  store ptr %h, ptr @where
  ret void
}

declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.promise(ptr, i32, i1)
declare ptr @llvm.coro.subfn.addr(ptr, i8)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
