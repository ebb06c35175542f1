; An alloca of dynamic size has its memory on the heap, and llvm.coro.free frees it with the frame, also where paths with
; and without llvm.coro.begin have joined: a phi selects the list in the frame, or an empty one.
; RUN: pycoro opt %s -S -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=CHECKED
; UNSUPPORTED: reference

; CHECKED-NOT: the lowering is not checked

; CHECK-LABEL: define ptr @joined(
; CHECK-NEXT: entry:
; CHECK-NEXT: %[[EMPTY:.*]] = alloca ptr
; CHECK-NEXT: store ptr null, ptr %[[EMPTY]]
; CHECK: begin:
; CHECK: %[[LIST:.*]] = getelementptr inbounds i8, ptr %memory, i64 24
; CHECK-NEXT: store ptr null, ptr %[[LIST]]
; CHECK: {{^}}join:
; CHECK: %[[JOINED:.*]] = phi ptr [ %[[EMPTY]], %entry ], [ %[[LIST]], %{{.*}} ]
; CHECK: cleanup:
; CHECK: %[[HEAD:.*]] = load ptr, ptr %[[JOINED]]
; CHECK-NEXT: call void @joined.release(ptr %[[HEAD]])
; CHECK-NEXT: call void @free(
define ptr @joined(i32 %n, i1 %c) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %enough = icmp ne ptr %memory, null
  br i1 %enough, label %begin, label %join

begin:
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %many = alloca i32, i32 %n
  call void @use(ptr %many)
  br i1 %c, label %suspend, label %join

suspend:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %join
  ]

resumed:
  call void @use(ptr %many)
  br label %join

join:
  %left = phi ptr [ null, %entry ], [ %handle, %begin ], [ %handle, %suspend ], [ %handle, %resumed ]
  call void @use(ptr %left)
  br label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %left)
  call void @free(ptr %block)
  br label %out

out:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr null
}

; No block exists where llvm.coro.begin has not been executed on any path.
; CHECK-LABEL: define ptr @not_begun(
; CHECK: {{^}}failed:
; CHECK-NEXT: call void @free(
define ptr @not_begun(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %enough = icmp ne ptr %memory, null
  br i1 %enough, label %begin, label %failed

failed:
  %none = call ptr @llvm.coro.free(token %id, ptr null)
  call void @free(ptr %none)
  br label %out

begin:
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %many = alloca i32, i32 %n
  call void @use(ptr %many)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %cleanup
  ]

resumed:
  call void @use(ptr %many)
  br label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %block)
  br label %out

out:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr null
}

declare void @use(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
