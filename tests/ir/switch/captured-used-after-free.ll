; An alloca whose address is stored before coro.begin is not on the heap if it is used after llvm.coro.free: the heap blocks
; may be freed there, and the frame is not.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' -o %t.ll
; RUN: lli-22 %t.ll | FileCheck %s

; CHECK: 4 4 4
; CHECK-NEXT: 0 blocks
; CHECK-NEXT: 4
; CHECK-NEXT: 0 blocks

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare token @llvm.coro.save(ptr)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare i1 @llvm.coro.done(ptr)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr,ptr,i64,i1)
declare i32 @printf(ptr, ...)
declare void @abort()
@fmt = private constant [4 x i8] c"%d \00"
@fmt.blocks = private constant [12 x i8] c"\0A%d blocks\0A\00"
@blocks = global i32 0
@arena = global [65536 x i8] zeroinitializer, align 64
@slot = global ptr null
@used = global i64 0
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
  br i1 %none, label %x, label %y
y:
  %b4 = getelementptr i32, ptr %block, i32 4
  store volatile i32 -99, ptr %b4
  br label %x
x:
  %count = load i32, ptr @blocks
  %less = sub i32 %count, 1
  %left = select i1 %none, i32 %count, i32 %less
  store i32 %left, ptr @blocks
  ret void
}
define ptr @same(ptr %p) noinline optnone { 
  ret ptr %p 
}
define {ptr,i32} @pair(ptr %p) noinline optnone { 
  %a = insertvalue {ptr,i32} undef, ptr %p, 0
  %b = insertvalue {ptr,i32} %a, i32 5, 1
  ret {ptr,i32} %b
}
define i32 @clobber(i32 %x) noinline optnone {
  %b = alloca [64 x i32]
  br label %l
l:
  %i = phi i32 [0,%0],[%n,%l]
  %p = getelementptr i32, ptr %b, i32 %i
  store volatile i32 -77, ptr %p
  %n = add i32 %i, 1
  %c = icmp ult i32 %n, 64
  br i1 %c, label %l, label %d
d:
  ret i32 %x
}
define void @out(i32 %v) noinline { 
  %r = call i32 (ptr, ...) @printf(ptr @fmt, i32 %v) 
  ret void 
}
define void @outp(ptr %p) noinline optnone { 
  %v = load i32, ptr %p
  call void @out(i32 %v) 
  ret void 
}
define void @after() noinline {
  %count = load i32, ptr @blocks
  %r = call i32 (ptr, ...) @printf(ptr @fmt.blocks, i32 %count)
  ret void
}
define ptr @f(i32 %n) presplitcoroutine  {
entry:
  %a = alloca i32
  store i32 4, ptr %a
  %p = call ptr @same(ptr %a)
  store ptr %p, ptr @slot
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %al = call i1 @llvm.coro.alloc(token %id)
  br i1 %al, label %alloc, label %begin
alloc:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %mm = phi ptr [null,%entry],[%memory,%alloc]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %mm)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %r1
                             i8 1, label %cleanup ]
r1:
  call void @outp(ptr %a)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %r2
                             i8 1, label %cleanup ]
r2:
  call void @outp(ptr %a)
  %s3 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s3, label %out [ i8 0, label %r3
                             i8 1, label %cleanup ]
r3:
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  %need = icmp ne ptr %freed, null
  br i1 %need, label %fr, label %out
fr:
  call void @outp(ptr %a)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
define i32 @main() {
  %h = call ptr @f(i32 3)
  %c = call i32 @clobber(i32 1)
  call void @llvm.coro.resume(ptr %h)
  %c2 = call i32 @clobber(i32 1)
  call void @llvm.coro.resume(ptr %h)
  %c3 = call i32 @clobber(i32 1)
  call void @llvm.coro.resume(ptr %h)
  call void @after()
  %d = call ptr @f(i32 3)
  call void @llvm.coro.destroy(ptr %d)
  call void @after()
  ret i32 0
}
