; In a later iteration of a level a function's internal global is still known to be non-escaping: its caller's memory
; does not alias it, and a load after the branch sees the store.
; RUN: pycoro opt -S -passes='default<O2>' %s -o - | FileCheck %s

@kept = internal global i32 0

; CHECK-LABEL: define i32 @starts(
; CHECK: store i32 %n, ptr @kept
; CHECK-NOT: load
; CHECK: ret i32 %n
define i32 @starts(i32 %n, ptr %out, i1 %which) {
entry:
  %h = call ptr @coroutine(i32 %n)
  store i32 %n, ptr @kept
  br i1 %which, label %one, label %other
one:
  store i32 1, ptr %out
  call void @print(i32 1)
  br label %join
other:
  store i32 2, ptr %out
  call void @print(i32 2)
  br label %join
join:
  %read = load i32, ptr @kept
  ret i32 %read
}

define void @changes(i32 %n) {
  store i32 %n, ptr @kept
  ret void
}

define i32 @reads() {
  %read = load i32, ptr @kept
  ret i32 %read
}

define ptr @coroutine(i32 %n) noinline presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %block = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %frame = call ptr @llvm.coro.begin(token %id, ptr %block)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [i8 0, label %again
                            i8 1, label %destroy]
again:
  call void @print(i32 %n)
  br label %destroy
destroy:
  %dead = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %dead)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare void @print(i32) nocallback memory(inaccessiblemem: readwrite)
declare noalias ptr @malloc(i64) allockind("alloc,uninitialized") allocsize(0) "alloc-family"="malloc"
declare void @free(ptr) allockind("free") "alloc-family"="malloc"
