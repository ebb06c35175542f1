; A generator that is inlined, resumed and destroyed in its creator needs no allocation; one with an exit where its end
; is unknown allocates. A run compares the output of both.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,coro-split,cgscc(inline),coro-elide,coro-cleanup,default<O1>' %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-LABEL: define i32 @elided(
; CHECK-NOT: @alloc(
; CHECK-NOT: @dealloc(
; CHECK: ret i32
; CHECK-LABEL: define {{.*}}ptr @kept(
; CHECK: call {{.*}}@alloc(
; CHECK: ret ptr
; OUT: sum 10 allocations 0
; OUT: kept allocations 1
; OUT: again allocations 2

target triple = "x86_64-unknown-linux-gnu"

define internal ptr @gen(i32 %from) presplitcoroutine {
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
  call void @dealloc(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

define i32 @elided(i32 %n) noinline {
entry:
  %hdl = call ptr @gen(i32 0)
  %promise = call ptr @llvm.coro.promise(ptr %hdl, i32 4, i1 false)
  br label %loop
loop:
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %value = load i32, ptr %promise
  %more = add i32 %sum, %value
  call void @llvm.coro.resume(ptr %hdl)
  %on = icmp slt i32 %value, %n
  br i1 %on, label %loop, label %done
done:
  call void @llvm.coro.destroy(ptr %hdl)
  ret i32 %more
}

define ptr @kept(i1 %destroy) noinline {
entry:
  %hdl = call ptr @gen(i32 0)
  br i1 %destroy, label %over, label %out
over:
  call void @llvm.coro.destroy(ptr %hdl)
  ret ptr null
out:
  ret ptr %hdl
}

; The second coroutine starts while the first one, of the same coro.id, is alive: one frame would not do for both.
define void @again() noinline {
entry:
  %where = alloca [2 x ptr]
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %hdl = call ptr @gen(i32 0)
  %slot = getelementptr ptr, ptr %where, i64 %i
  store ptr %hdl, ptr %slot
  %next = add i64 %i, 1
  %on = icmp ult i64 %next, 2
  br i1 %on, label %loop, label %over
over:
  %first = load ptr, ptr %where
  call void @llvm.coro.resume(ptr %first)
  call void @llvm.coro.destroy(ptr %first)
  call void @llvm.coro.destroy(ptr %hdl)
  ret void
}

define i32 @main() {
  %sum = call i32 @elided(i32 4)
  %a = load i32, ptr @allocations
  call i32 (ptr, ...) @printf(ptr @text1, i32 %sum, i32 %a)
  %hdl = call ptr @kept(i1 false)
  call void @llvm.coro.destroy(ptr %hdl)
  %b = load i32, ptr @allocations
  call i32 (ptr, ...) @printf(ptr @text2, i32 %b)
  store i32 0, ptr @allocations
  call void @again()
  %c = load i32, ptr @allocations
  call i32 (ptr, ...) @printf(ptr @text3, i32 %c)
  ret i32 0
}

@allocations = global i32 0
@text1 = private constant [24 x i8] c"sum %d allocations %d \0A\00"
@text2 = private constant [21 x i8] c"kept allocations %d\0A\00"
@text3 = private constant [22 x i8] c"again allocations %d\0A\00"

define ptr @alloc(i64 %size) noinline {
  %a = load i32, ptr @allocations
  %b = add i32 %a, 1
  store i32 %b, ptr @allocations
  %p = call ptr @malloc(i64 %size)
  ret ptr %p
}

define void @dealloc(ptr %p) noinline {
  call void @free(ptr %p)
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
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
