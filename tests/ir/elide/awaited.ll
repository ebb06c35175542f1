; A child that is created and awaited by symmetric transfer is in its parent's frame if every path destroys it, even if
; other functions know its handle: nothing allocates. The awaiter is in memory, and await_suspend does not capture it.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,coro-split,coro-cleanup' %s -verify-each -o %t.same.ll
; RUN: pycoro opt -S -passes='coro-early,cgscc(inline,function(coro-elide),coro-split),coro-cleanup' %s -verify-each -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; RUN: lli-22 %t.same.ll | FileCheck %s --check-prefix=SAME

; CHECK-LABEL: define internal ptr @parent(
; CHECK: call ptr @child.noalloc(i32 3, ptr %{{.*}})
; OUT: child parent 3 0
; SAME: child parent 3 2

target triple = "x86_64-unknown-linux-gnu"

define internal ptr @child(i32 %value) presplitcoroutine noinline {
entry:
  %promise = alloca { ptr, i32 }
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
  %result = getelementptr { ptr, i32 }, ptr %promise, i32 0, i32 1
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s0, label %end [i8 0, label %resume
                             i8 1, label %destroy]
resume:
  call i32 (ptr, ...) @printf(ptr @text.child)
  store i32 %value, ptr %result
  %save = call token @llvm.coro.save(ptr %hdl)
  call void @llvm.coro.await.suspend.handle(ptr %promise, ptr %hdl, ptr @then)
  %s1 = call i8 @llvm.coro.suspend(token %save, i1 true)
  switch i8 %s1, label %end [i8 1, label %destroy]
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

define internal ptr @then(ptr %promise, ptr %self) {
  %who = load ptr, ptr %promise
  ret ptr %who
}

define linkonce_odr ptr @await(ptr %awaiter, ptr %who) {
  %child = load ptr, ptr %awaiter
  %promise = call ptr @llvm.coro.promise(ptr %child, i32 8, i1 false)
  store ptr %who, ptr %promise
  ret ptr %child
}

define internal ptr @parent() presplitcoroutine noinline {
entry:
  %awaiter = alloca { ptr }
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
  %child = call ptr @child(i32 3)
  store ptr %child, ptr %awaiter
  %save = call token @llvm.coro.save(ptr %hdl)
  call void @llvm.coro.await.suspend.handle(ptr %awaiter, ptr %hdl, ptr @await)
  %s0 = call i8 @llvm.coro.suspend(token %save, i1 false)
  switch i8 %s0, label %end [i8 0, label %resume
                             i8 1, label %unawaited]
resume:
  call i32 (ptr, ...) @printf(ptr @text.parent)
  %done = load ptr, ptr %awaiter
  %promise = call ptr @llvm.coro.promise(ptr %done, i32 8, i1 false)
  %result = getelementptr { ptr, i32 }, ptr %promise, i32 0, i32 1
  %value = load i32, ptr %result
  store i32 %value, ptr @got
  call void @llvm.coro.destroy(ptr %done)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s1, label %end [i8 1, label %destroy]
unawaited:
  %left = load ptr, ptr %awaiter
  call void @llvm.coro.destroy(ptr %left)
  br label %destroy
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

define i32 @main() nounwind {
  %p = call ptr @parent()
  store ptr %p, ptr @root
  call void @llvm.coro.destroy(ptr %p)
  %value = load i32, ptr @got
  %n = load i32, ptr @allocations
  call i32 (ptr, ...) @printf(ptr @text, i32 %value, i32 %n)
  ret i32 0
}

@root = global ptr null
@got = global i32 0
@allocations = global i32 0
@text = private constant [7 x i8] c"%d %d\0A\00"
@text.child = private constant [7 x i8] c"child \00"
@text.parent = private constant [8 x i8] c"parent \00"

define ptr @alloc(i64 %size) noinline {
  %a = load i32, ptr @allocations
  %b = add i32 %a, 1
  store i32 %b, ptr @allocations
  %p = call ptr @malloc(i64 %size)
  ret ptr %p
}

declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...) nounwind
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare token @llvm.coro.save(ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.await.suspend.handle(ptr, ptr, ptr)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.promise(ptr, i32, i1)
declare void @llvm.coro.destroy(ptr)
