; A variable in the caller's buffer whose address others have: the continuation is not alone with it.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@seen = global ptr null
@int = private constant [4 x i8] c"%d\0A\00"

define ptr @f(ptr %buffer) {
entry:
  %x = alloca i32
  %id = call token @llvm.coro.id.retcon(i32 32, i32 8, ptr %buffer, ptr @prototype, ptr @malloc, ptr @free)
  %frame = call ptr @llvm.coro.begin(token %id, ptr null)
  store i32 1, ptr %x
  store ptr %x, ptr @seen
  call void (...) @llvm.coro.suspend.retcon.isVoid()
  store i32 5, ptr %x
  call void @bump()
  %now = load i32, ptr %x
  call i32 (ptr, ...) @printf(ptr @int, i32 %now)
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  unreachable
}

define void @bump() noinline {
  %x = load ptr, ptr @seen
  %old = load i32, ptr %x
  %new = add i32 %old, 1
  store i32 %new, ptr %x
  ret void
}

define i32 @main() {
  %buffer = alloca [32 x i8], align 8
  %go = call ptr @f(ptr %buffer)
  %end = call ptr %go(ptr %buffer)
  ret i32 0
}

declare ptr @prototype(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare void @llvm.coro.suspend.retcon.isVoid(...)
declare void @llvm.coro.end(ptr, i1, token)
