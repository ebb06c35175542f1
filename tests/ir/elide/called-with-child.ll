; The ramp with a caller-provided frame is a copy of one that contains an inlined child: the child's frame stays
; separate.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),cgscc(inline),function(coro-elide),coro-cleanup' %s -verify-each -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-LABEL: define void @use(
; CHECK: call ptr @parent.noalloc(ptr %parent.frame)
; CHECK-LABEL: define internal ptr @parent.noalloc(
; CHECK: %[[CHILD:.*]] = call ptr @malloc(
; CHECK: call {{.*}}@child.destroy(ptr %[[CHILD]])
; OUT: 7

target triple = "x86_64-unknown-linux-gnu"

; It always allocates.
define internal ptr @child() presplitcoroutine {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store i32 7, ptr %promise
  %s = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s, label %end [i8 1, label %destroy]
destroy:
  %value = load i32, ptr %promise
  call i32 (ptr, ...) @printf(ptr @text, i32 %value)
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

define internal ptr @parent() presplitcoroutine noinline {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %fresh = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %child = call ptr @child()
  call void @llvm.coro.destroy(ptr %child)
  %s = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s, label %end [i8 1, label %destroy]
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

define void @use() noinline {
  %h = call ptr @parent()
  call void @llvm.coro.destroy(ptr %h)
  ret void
}

define i32 @main() {
  call void @use()
  ret i32 0
}

@text = private constant [4 x i8] c"%d\0A\00"
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
declare void @llvm.coro.destroy(ptr)
