; A destroy inlined before elision leaves a call that frees the frame: such a frame stays on the heap, though free
; captures nothing. So do frames passed to functions that free them, to unknown functions even if they capture nothing
; (custom allocators), and to functions that read before the allocation. Functions that free nothing do not prevent
; elision.
; RUN: pycoro opt %s -S -passes='inferattrs,cgscc(function-attrs),function(coro-elide)' | FileCheck %s

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @pool_free(ptr captures(none)) nounwind
declare void @look(ptr captures(none)) nofree
declare void @reads(ptr readonly captures(none))

@f.resumers = private constant [3 x ptr] [ptr @f.resume, ptr @f.destroy, ptr @f.cleanup]

define internal void @drop(ptr %handle) noinline {
  call void @free(ptr %handle)
  ret void
}

; CHECK-LABEL: define void @freed(
; CHECK-NOT: = alloca
; CHECK: call i1 @llvm.coro.alloc(
; CHECK: call void @free(
define void @freed() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @f, ptr @f.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %start
allocate:
  %memory = call ptr @malloc(i64 24)
  br label %start
start:
  %frame = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %frame)
  store ptr @f.resume, ptr %handle
  call fastcc void @f.resume(ptr %handle)
  call void @free(ptr %handle)
  ret void
}

; CHECK-LABEL: define void @given_back(
; CHECK-NOT: = alloca
; CHECK: call i1 @llvm.coro.alloc(
; CHECK: call void @give_back(
define void @given_back() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @f, ptr @f.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %start
allocate:
  %memory = call ptr @malloc(i64 24)
  br label %start
start:
  %frame = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %frame)
  store ptr @f.resume, ptr %handle
  call fastcc void @f.resume(ptr %handle)
  call void @give_back(ptr %handle)
  ret void
}

define internal void @give_back(ptr %memory) noinline {
  %count = getelementptr i8, ptr %memory, i64 -16
  %n = load i32, ptr %count
  %less = sub i32 %n, 1
  store i32 %less, ptr %count
  ret void
}

; CHECK-LABEL: define void @freed_below(
; CHECK-NOT: = alloca
; CHECK: call i1 @llvm.coro.alloc(
; CHECK: call void @drop(
define void @freed_below() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @f, ptr @f.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %start
allocate:
  %memory = call ptr @malloc(i64 24)
  br label %start
start:
  %frame = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %frame)
  store ptr @f.resume, ptr %handle
  call fastcc void @f.resume(ptr %handle)
  call void @drop(ptr %handle)
  ret void
}

; CHECK-LABEL: define void @freed_by_its_own(
; CHECK-NOT: = alloca
; CHECK: call i1 @llvm.coro.alloc(
; CHECK: call void @pool_free(
define void @freed_by_its_own() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @f, ptr @f.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %start
allocate:
  %memory = call ptr @malloc(i64 24)
  br label %start
start:
  %frame = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %frame)
  store ptr @f.resume, ptr %handle
  call fastcc void @f.resume(ptr %handle)
  call void @pool_free(ptr %handle)
  ret void
}

; CHECK-LABEL: define void @looked_at(
; CHECK: = alloca [24 x i8]
; CHECK-NOT: @llvm.coro.alloc(
; CHECK: call void @look(
define void @looked_at() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @f, ptr @f.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %start
allocate:
  %memory = call ptr @malloc(i64 24)
  br label %start
start:
  %frame = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %frame)
  store ptr @f.resume, ptr %handle
  call fastcc void @f.resume(ptr %handle)
  call void @look(ptr %handle)
  ret void
}

; CHECK-LABEL: define void @read(
; CHECK: = alloca [24 x i8]
; CHECK-NOT: @llvm.coro.alloc(
; CHECK: call void @reads(
define void @read() {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @f, ptr @f.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %start
allocate:
  %memory = call ptr @malloc(i64 24)
  br label %start
start:
  %frame = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %frame)
  store ptr @f.resume, ptr %handle
  call fastcc void @f.resume(ptr %handle)
  call void @reads(ptr %handle)
  ret void
}

define ptr @f() {
  ret ptr null
}

define internal fastcc void @f.resume(ptr align 8 dereferenceable(24) %handle) {
  ret void
}

define internal fastcc void @f.destroy(ptr align 8 dereferenceable(24) %handle) {
  call void @free(ptr %handle)
  ret void
}

define internal fastcc void @f.cleanup(ptr align 8 dereferenceable(24) %handle) {
  ret void
}
