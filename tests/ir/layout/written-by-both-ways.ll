; Code that runs between a suspend and the caller, and on other paths too: its writes do not overlap values live at the
; suspend's resume.
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup' -o %t.ll
; RUN: lli-22 %t.ll | FileCheck %s

; CHECK: 1 101
; CHECK-NEXT: 2 101
; CHECK-NEXT: 2 101
; CHECK: 1 104
; CHECK-NEXT: 2 104
; CHECK: 2 104
; CHECK: 1 107
; CHECK-NEXT: 2 107
; CHECK-NEXT: 2 107

define ptr @asked_later() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %w = call i32 @next()
  call void @out(i32 1, i32 %w)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  call void @out(i32 2, i32 %w)
  %v = call i32 @next()
  switch i8 %s1, label %suspend [i8 0, label %b
                             i8 1, label %a]
b:
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %suspend [i8 0, label %c
                             i8 1, label %a]
c:
  call void @out(i32 4, i32 %v)
  br label %a
a:
  %m = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %m)
  br label %suspend
suspend:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

; Where both ways meet again.
define ptr @met_again() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %w = call i32 @next()
  call void @out(i32 1, i32 %w)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %x [i8 0, label %y
                             i8 1, label %a]
y:
  call void @out(i32 9, i32 9)
  br label %x
x:
  %on = phi i1 [0, %entry], [1, %y]
  call void @out(i32 2, i32 %w)
  %v = call i32 @next()
  br i1 %on, label %b, label %suspend
b:
  call void @out(i32 3, i32 %v)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %suspend [i8 0, label %c
                             i8 1, label %a]
c:
  call void @out(i32 4, i32 %v)
  br label %a
a:
  %m = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %m)
  br label %suspend
suspend:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

; Of variables.
define ptr @variables() presplitcoroutine {
entry:
  %A = alloca i32
  %B = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %w = call i32 @next()
  store i32 %w, ptr %A
  call void @out(i32 1, i32 %w)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  %w2 = load i32, ptr %A
  call void @out(i32 2, i32 %w2)
  %v0 = call i32 @next()
  store i32 %v0, ptr %B
  switch i8 %s1, label %suspend [i8 0, label %b
                             i8 1, label %a]
b:
  %v1 = load i32, ptr %B
  call void @out(i32 3, i32 %v1)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %suspend [i8 0, label %c
                             i8 1, label %a]
c:
  %v2 = load i32, ptr %B
  call void @out(i32 4, i32 %v2)
  br label %a
a:
  %m = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %m)
  br label %suspend
suspend:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define i32 @next() noinline optnone {
  %a = load i32, ptr @count
  %b = add i32 %a, 1
  store i32 %b, ptr @count
  ret i32 %b
}

define void @out(i32 %x, i32 %y) noinline optnone {
  call i32 (ptr, ...) @printf(ptr @text, i32 %x, i32 %y)
  ret void
}

define i32 @main() {
  %h0 = call ptr @asked_later()
  call void @llvm.coro.resume(ptr %h0)
  call void @llvm.coro.resume(ptr %h0)
  %h1 = call ptr @met_again()
  call void @llvm.coro.resume(ptr %h1)
  call void @llvm.coro.resume(ptr %h1)
  %h2 = call ptr @variables()
  call void @llvm.coro.resume(ptr %h2)
  call void @llvm.coro.resume(ptr %h2)
  ret i32 0
}

@text = global [7 x i8] c"%d %d\0A\00"
@count = global i32 100
declare i32 @printf(ptr, ...)
declare ptr @malloc(i64)
declare void @free(ptr)
