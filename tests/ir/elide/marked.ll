; A call marked coro_elide_safe gives the callee its frame inside the caller's, callees first: @leaf lives in @mid's
; frame and @mid, itself grown by that, in @top's. The call that is not marked allocates.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,coro-split,coro-annotation-elide,coro-cleanup' %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split<reuse-storage>,coro-annotation-elide),coro-cleanup,default<O2>' %s -o %t.o2.ll
; RUN: lli-22 %t.o2.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: llvm.coro
; CHECK-LABEL: define ptr @mid(
; CHECK: call {{.*}}@leaf.noalloc(i32 %n, ptr {{.*}}) #[[#INLINE:]]
; CHECK-LABEL: define ptr @top(
; CHECK: call {{.*}}@mid.noalloc(i32 7, ptr {{.*}}) #[[#INLINE]]
; CHECK: call {{.*}}@leaf(i32 9)
; CHECK: attributes #[[#INLINE]] = { alwaysinline }
; OUT: leaf 7
; OUT: leaf 9
; OUT: resumed
; OUT: allocations 2 releases 2

target triple = "x86_64-unknown-linux-gnu"

define ptr @leaf(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %fresh = call ptr @alloc(i64 %size)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [i8 0, label %resume
                            i8 1, label %destroy]
resume:
  %x = call i32 (ptr, ...) @printf(ptr @text.leaf, i32 %n)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s2, label %end [i8 0, label %dead
                             i8 1, label %destroy]
dead:
  unreachable
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

define ptr @mid(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %fresh = call ptr @alloc(i64 %size)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %leaf = call ptr @leaf(i32 %n) coro_elide_safe
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [i8 0, label %resume
                            i8 1, label %destroy]
resume:
  call void @llvm.coro.resume(ptr %leaf)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s2, label %end [i8 0, label %dead
                             i8 1, label %destroy]
dead:
  unreachable
destroy:
  call void @llvm.coro.destroy(ptr %leaf)
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

define ptr @top() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @alloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %mid = call ptr @mid(i32 7) coro_elide_safe
  %leaf = call ptr @leaf(i32 9)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [i8 0, label %resume
                            i8 1, label %destroy]
resume:
  call void @llvm.coro.resume(ptr %mid)
  call void @llvm.coro.resume(ptr %leaf)
  %x = call i32 (ptr, ...) @printf(ptr @text.top)
  br label %destroy
destroy:
  call void @llvm.coro.destroy(ptr %mid)
  call void @llvm.coro.destroy(ptr %leaf)
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @dealloc(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

define i32 @main() {
  %hdl = call ptr @top()
  call void @llvm.coro.resume(ptr %hdl)
  %a = load i32, ptr @allocations
  %b = load i32, ptr @releases
  call i32 (ptr, ...) @printf(ptr @text.end, i32 %a, i32 %b)
  ret i32 0
}

@allocations = global i32 0
@releases = global i32 0
@text.leaf = private constant [9 x i8] c"leaf %d\0A\00"
@text.top = private constant [9 x i8] c"resumed\0A\00"
@text.end = private constant [28 x i8] c"allocations %d releases %d\0A\00"

define ptr @alloc(i64 %size) noinline {
  %a = load i32, ptr @allocations
  %b = add i32 %a, 1
  store i32 %b, ptr @allocations
  %p = call ptr @malloc(i64 %size)
  ret ptr %p
}

define void @dealloc(ptr %p) noinline {
  %a = load i32, ptr @releases
  %b = add i32 %a, 1
  store i32 %b, ptr @releases
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
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
