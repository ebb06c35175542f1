; f.resume and f.cleanup have equal bodies, and mergefunc makes a call of one a call of the other. A call of f.cleanup is then no
; destruction: the lifetime of the elided frame must not end there.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split),function(instcombine,simplifycfg),cgscc(inline),function(coro-elide,instcombine),mergefunc,function(coro-elide),coro-cleanup,cgscc(inline),function(instcombine,dse)' -o %t.ll
; RUN: lli-22 %t.ll | FileCheck %s

; CHECK: 11 -7

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare ptr @llvm.coro.promise(ptr, i32, i1)
declare i32 @printf(ptr, ...)
declare ptr @malloc(i64)
declare void @free(ptr)
@fmt = private constant [4 x i8] c"%d \00"

define void @tick(ptr %p) {
  %v = load i32, ptr %p
  %w = add i32 %v, 1
  store i32 %w, ptr %p
  ret void
}
define void @print(ptr %p) noinline optnone {
  %v = load i32, ptr %p
  %r = call i32 (ptr, ...) @printf(ptr @fmt, i32 %v)
  ret void
}
define void @other(ptr %p) noinline optnone {
  store volatile i32 -7, ptr %p
  ret void
}

@kept = global ptr null
define void @keep(ptr %p) noinline optnone {
  store ptr %p, ptr @kept
  ret void
}
define internal ptr @f(i32 %n) presplitcoroutine {
entry:
  %promise = alloca [4 x i32]
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %alloc, label %begin
alloc:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %m = phi ptr [ null, %entry ], [ %memory, %alloc ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %m)
  store i32 %n, ptr %promise
  br label %loop
loop:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  call void @tick(ptr %promise)
  br label %loop
cleanup:
  call void @tick(ptr %promise)
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  %any = icmp ne ptr %freed, null
  br i1 %any, label %free, label %out
free:
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}

define i32 @main() {
  %h0 = call ptr @f(i32 5)
  call void @keep(ptr %h0)
  %h = call ptr @f(i32 10)
  %p = call ptr @llvm.coro.promise(ptr %h, i32 4, i1 false)
  call void @llvm.coro.resume(ptr %h)
  %x = alloca [12 x i32]
  call void @llvm.lifetime.start.p0(ptr %x)
  call void @other(ptr %x)
  %x4 = getelementptr i32, ptr %x, i64 4
  call void @other(ptr %x4)
  call void @print(ptr %p)
  call void @print(ptr %x4)
  call void @llvm.lifetime.end.p0(ptr %x)
  call void @llvm.coro.destroy(ptr %h)
  %k = load ptr, ptr @kept
  call void @llvm.coro.destroy(ptr %k)
  ret i32 0
}
