; A late wave runs LLVM's passes on a work module without the `no_cfi` constant. The module pass after the waves must still
; protect the function with the constant: LLVM's globaldce aborts if it removes that function.
; RUN: pycoro opt -S -O2 %s -o - | FileCheck %s

; CHECK-NOT: pycoro.held
; CHECK: define internal {{.*}}void @own()
; CHECK-NOT: @forgotten
; CHECK-NOT: pycoro.held
declare ptr @malloc(i64)
declare void @free(ptr)

define ptr @counter(i32 %from, i32 %to) presplitcoroutine {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %needed = call i1 @llvm.coro.alloc(token %id)
  br i1 %needed, label %allocate, label %begin

allocate:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  br label %begin

begin:
  %frame = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %frame)
  br label %loop

loop:
  %n = phi i32 [ %from, %begin ], [ %next, %yield ]
  %more = icmp slt i32 %n, %to
  br i1 %more, label %yield, label %final

yield:
  store i32 %n, ptr %promise
  %next = add i32 %n, 1
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspended [
    i8 0, label %loop
    i8 1, label %cleanup
  ]

final:
  %f = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %f, label %suspended [
    i8 0, label %never
    i8 1, label %cleanup
  ]

never:
  unreachable

cleanup:
  %unused = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %unused)
  br label %suspended

suspended:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define i32 @sum(i32 %to) {
entry:
  %handle = call ptr @counter(i32 0, i32 %to)
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 4, i1 false)
  br label %loop

loop:
  %total = phi i32 [ 0, %entry ], [ %plus, %on ]
  %done = call i1 @llvm.coro.done(ptr %handle)
  br i1 %done, label %out, label %on

on:
  %n = load i32, ptr %promise
  %plus = add i32 %total, %n
  call void @llvm.coro.resume(ptr %handle)
  br label %loop

out:
  call void @llvm.coro.destroy(ptr %handle)
  ret i32 %total
}
declare void @use(ptr)
declare i32 @ext(i32)

define internal void @own() {
  ret void
}
define internal void @forgotten() noinline {
  call void @use(ptr no_cfi @own)
  ret void
}
define linkonce_odr i32 @zero() {
  ret i32 0
}
define void @user(i32 %x) {
entry:
  %z = call i32 @zero()
  %c = icmp eq i32 %z, 0
  br i1 %c, label %out, label %rare
rare:
  call void @forgotten()
  br label %out
out:
  ret void
}
