; A function with the name and type of a coroutine's variant for caller-provided frames is not called in its place; the
; variant gets another name.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,coro-split,coro-annotation-elide,coro-cleanup' %s -o %t.ll
; RUN: FileCheck %s < %t.ll

; CHECK: define ptr @leaf.noalloc(i32 %n, ptr align 8 dereferenceable(64) %frame) {
; CHECK: define ptr @plain.noalloc(i32 %n, ptr align 8 dereferenceable(64) %frame) {
; CHECK-LABEL: define ptr @caller(
; CHECK: call ptr @[[OWN:leaf.noalloc.[0-9]+]](i32 1, ptr %
; CHECK: call ptr @plain(i32 2)
; CHECK: define internal ptr @[[OWN]](i32 %{{.*}}, ptr

define ptr @leaf.noalloc(i32 %n, ptr align 8 dereferenceable(64) %frame) {
  ret ptr null
}

define ptr @plain.noalloc(i32 %n, ptr align 8 dereferenceable(64) %frame) {
  ret ptr null
}

define ptr @plain(i32 %n) noinline {
  ret ptr null
}

define ptr @leaf(i32 %n) presplitcoroutine {
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
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [i8 0, label %resume
                            i8 1, label %resume]
resume:
  call void @use(i32 %n)
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

define ptr @caller() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %leaf = call ptr @leaf(i32 1) coro_elide_safe
  %plain = call ptr @plain(i32 2) coro_elide_safe
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [i8 0, label %destroy
                            i8 1, label %destroy]
destroy:
  call void @llvm.coro.destroy(ptr %leaf)
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

declare void @use(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.destroy(ptr)
