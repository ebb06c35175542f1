; A variable of a larger alignment than the allocator gives, which is told a size alone.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@memory = internal global [512 x i8] zeroinitializer, align 64

define ptr @f(ptr %buffer, ptr %out) {
entry:
  %wide = alloca i32, align 64
  %id = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %frame = call ptr @llvm.coro.begin(token %id, ptr null)
  store i32 1, ptr %wide
  call void (...) @llvm.coro.suspend.retcon.isVoid()
  call void @where(ptr %wide, ptr %out)
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  unreachable
}

define void @where(ptr %wide, ptr %out) noinline optnone {
  %bits = ptrtoint ptr %wide to i64
  %off = and i64 %bits, 63
  store i64 %off, ptr %out
  ret void
}

define ptr @allocate(i64 %size) {
  %memory = getelementptr i8, ptr @memory, i64 16
  ret ptr %memory
}

define void @deallocate(ptr %memory) {
  ret void
}

define i32 @main() {
  %buffer = alloca ptr, align 8
  %out = alloca i64
  %go = call ptr @f(ptr %buffer, ptr %out)
  %end = call ptr %go(ptr %buffer)
  %off = load i64, ptr %out
  %code = trunc i64 %off to i32
  ret i32 %code
}

declare ptr @prototype(ptr)
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare void @llvm.coro.suspend.retcon.isVoid(...)
declare void @llvm.coro.end(ptr, i1, token)
