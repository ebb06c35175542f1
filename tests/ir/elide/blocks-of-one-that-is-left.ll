; An alloca in a loop whose address is carried round lives in a heap block for each iteration, which is freed with the frame. A
; coroutine that is never destroyed leaks the blocks and the frame; elision saves the frame, and the blocks still leak. What is
; destroyed leaks nothing. Held against a run, which counts malloc and free.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %s | lli-22 | FileCheck %s --check-prefix=PLAIN
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),function(coro-elide),coro-cleanup' %s | lli-22 | FileCheck %s
; RUN: pycoro opt -S -passes='default<O2>' %s | lli-22 | FileCheck %s

; PLAIN: left three turns: 4
; PLAIN: left at its end: 3
; PLAIN: destroyed: 0
; CHECK: left three turns: 3
; CHECK: left at its end: 2
; CHECK: destroyed: 0

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
define void @look(ptr captures(none) %a, ptr captures(none) %b) noinline optnone nounwind {
  ret void
}
declare i32 @printf(ptr, ...)
declare ptr @__libc_malloc(i64)
declare void @__libc_free(ptr)
@live = global i32 0
@text = private constant [8 x i8] c"%s: %d\0A\00"
@n1 = private constant [17 x i8] c"left three turns\00"
@n2 = private constant [16 x i8] c"left at its end\00"
@n3 = private constant [10 x i8] c"destroyed\00"

define noalias ptr @malloc(i64 %n) noinline {
  %a = load i32, ptr @live
  %b = add i32 %a, 1
  store i32 %b, ptr @live
  %p = call ptr @__libc_malloc(i64 %n)
  ret ptr %p
}
define void @free(ptr %p) noinline {
  %null = icmp eq ptr %p, null
  br i1 %null, label %out, label %some
some:
  %a = load i32, ptr @live
  %b = sub i32 %a, 1
  store i32 %b, ptr @live
  call void @__libc_free(ptr %p)
  br label %out
out:
  ret void
}

define internal ptr @f(i32 %n) presplitcoroutine noinline {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %fresh = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %memory = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop
loop:
  %i = phi i32 [ 0, %begin ], [ %next, %more ]
  %last = phi ptr [ null, %begin ], [ %slot, %more ]
  %slot = alloca i32
  call void @look(ptr %last, ptr %slot)
  store volatile i32 %i, ptr %slot
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [i8 0, label %more
                            i8 1, label %cleanup]
more:
  %v = load volatile i32, ptr %slot
  %next = add i32 %v, 1
  %go = icmp ult i32 %next, %n
  br i1 %go, label %loop, label %final
final:
  %t = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %t, label %end [i8 0, label %never
                            i8 1, label %cleanup]
never:
  unreachable
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
define void @left() noinline {
  %h = call ptr @f(i32 10)
  call void @llvm.coro.resume(ptr %h)
  call void @llvm.coro.resume(ptr %h)
  ret void
}
define void @ended() noinline {
  %h = call ptr @f(i32 2)
  call void @llvm.coro.resume(ptr %h)
  call void @llvm.coro.resume(ptr %h)
  ret void
}
define void @destroyed() noinline {
  %h = call ptr @f(i32 10)
  call void @llvm.coro.resume(ptr %h)
  call void @llvm.coro.resume(ptr %h)
  call void @llvm.coro.destroy(ptr %h)
  ret void
}
define i32 @main() {
  call void @left()
  %a = load i32, ptr @live
  call i32 (ptr, ...) @printf(ptr @text, ptr @n1, i32 %a)
  call void @ended()
  %b = load i32, ptr @live
  %d = sub i32 %b, %a
  call i32 (ptr, ...) @printf(ptr @text, ptr @n2, i32 %d)
  call void @destroyed()
  %c = load i32, ptr @live
  %e = sub i32 %c, %b
  call i32 (ptr, ...) @printf(ptr @text, ptr @n3, i32 %e)
  ret i32 0
}
