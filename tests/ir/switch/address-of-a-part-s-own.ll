; An alloca that is dead across a suspend is separate in each clone, so its address must be rematerialized in each. If
; it cannot be, the alloca is in the frame, so that all clones refer to the same memory.
; RUN: pycoro opt %s -S -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s

; CHECK-LABEL: define ptr @far(
; CHECK-NOT: alloca
; CHECK-LABEL: define internal fastcc void @near.resume(
; CHECK: %x = alloca [4 x i64]
; CHECK: store i64 77, ptr %p,
; CHECK: %p = getelementptr i8, ptr %{{.*}}, i64 5
; CHECK-LABEL: define internal fastcc void @near.destroy(
; CHECK-LABEL: define internal fastcc void @far.resume(
; CHECK-NOT: alloca
; CHECK: store i64 77, ptr %p.reload
; CHECK-LABEL: define internal fastcc void @far.destroy(
; CHECK-LABEL: define internal fastcc void @indexed.resume(
; CHECK-NOT: alloca
; CHECK: store i64 77, ptr %p.reload
; CHECK-LABEL: define internal fastcc void @indexed.destroy(

define ptr @near(ptr %place) presplitcoroutine {
entry:
  %x = alloca [4 x i64]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %p1 = getelementptr i8, ptr %x, i64 1
  %p2 = getelementptr i8, ptr %p1, i64 1
  %p3 = getelementptr i8, ptr %p2, i64 1
  %p = getelementptr i8, ptr %p3, i64 5
  call void @llvm.lifetime.start.p0(ptr %x)
  store i64 1, ptr %p
  call void @llvm.lifetime.end.p0(ptr %x)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %more
                             i8 1, label %cleanup ]
more:
  call void @llvm.lifetime.start.p0(ptr %x)
  store i64 77, ptr %p
  call void @llvm.lifetime.end.p0(ptr %x)
  br label %cleanup
cleanup:
  %frame = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %frame)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define ptr @far(ptr %place) presplitcoroutine {
entry:
  %x = alloca [4 x i64]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %p1 = getelementptr i8, ptr %x, i64 1
  %p2 = getelementptr i8, ptr %p1, i64 1
  %p3 = getelementptr i8, ptr %p2, i64 1
  %p4 = getelementptr i8, ptr %p3, i64 1
  %p = getelementptr i8, ptr %p4, i64 4
  call void @llvm.lifetime.start.p0(ptr %x)
  store i64 1, ptr %p
  call void @llvm.lifetime.end.p0(ptr %x)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %more
                             i8 1, label %cleanup ]
more:
  call void @llvm.lifetime.start.p0(ptr %x)
  store i64 77, ptr %p
  call void @llvm.lifetime.end.p0(ptr %x)
  br label %cleanup
cleanup:
  %frame = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %frame)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define ptr @indexed(ptr %place) presplitcoroutine {
entry:
  %x = alloca [4 x i64]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %i = load i64, ptr %place
  %p1 = getelementptr i8, ptr %x, i64 %i
  %p = getelementptr i8, ptr %p1, i64 8
  call void @llvm.lifetime.start.p0(ptr %x)
  store i64 1, ptr %p
  call void @llvm.lifetime.end.p0(ptr %x)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %more
                             i8 1, label %cleanup ]
more:
  call void @llvm.lifetime.start.p0(ptr %x)
  store i64 77, ptr %p
  call void @llvm.lifetime.end.p0(ptr %x)
  br label %cleanup
cleanup:
  %frame = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %frame)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

declare ptr @malloc(i64)
declare void @free(ptr)
