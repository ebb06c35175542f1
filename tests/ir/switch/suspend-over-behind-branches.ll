; A suspend that is resumed at once is removed, whatever is between its save and the call if nothing there can resume
; the coroutine first: branches and intrinsics cannot.
; RUN: pycoro opt %s -passes='cgscc(coro-split)' -S | FileCheck %s

; CHECK-LABEL: define ptr @branches(
; CHECK-NOT: llvm.coro.subfn.addr
; CHECK: call void @print(i32 0)
; CHECK-LABEL: define ptr @a.call(
; CHECK: call ptr @llvm.coro.subfn.addr
; CHECK-NOT: call void @print(i32 0)
; CHECK-LABEL: define ptr @around(
; CHECK: call ptr @llvm.coro.subfn.addr
; CHECK-NOT: @branches.resume
; CHECK: @a.call.resume
; CHECK-NOT: @branches.resume

define ptr @branches(ptr %memory, ptr %src, ptr %dst, i1 %cond) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %save = call token @llvm.coro.save(ptr %frame)
  br i1 %cond, label %then, label %else

then:
  call void @llvm.memcpy.p0.p0.i64(ptr %dst, ptr %src, i64 1, i1 false)
  br label %join

else:
  call void @llvm.memcpy.p0.p0.i64(ptr %src, ptr %dst, i64 1, i1 false)
  br label %join

join:
  %address = call ptr @llvm.coro.subfn.addr(ptr %frame, i8 0)
  call fastcc void %address(ptr %frame)
  %s = call i8 @llvm.coro.suspend(token %save, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %suspend
  ]

resume:
  call void @print(i32 0)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @a.call(ptr %memory, ptr %src, ptr %dst, i1 %cond) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %save = call token @llvm.coro.save(ptr %frame)
  br i1 %cond, label %then, label %else

then:
  call void @llvm.memcpy.p0.p0.i64(ptr %dst, ptr %src, i64 1, i1 false)
  br label %join

else:
  call void @print(i32 1)
  br label %join

join:
  %address = call ptr @llvm.coro.subfn.addr(ptr %frame, i8 0)
  call fastcc void %address(ptr %frame)
  %s = call i8 @llvm.coro.suspend(token %save, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %suspend
  ]

resume:
  call void @print(i32 0)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @around(ptr %memory, ptr %src, ptr %dst, i1 %cond) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %save = call token @llvm.coro.save(ptr %frame)
  br i1 %cond, label %then, label %else

then:
  call void @llvm.memcpy.p0.p0.i64(ptr %dst, ptr %src, i64 1, i1 false)
  br label %join

else:
  call void @llvm.memcpy.p0.p0.i64(ptr %src, ptr %dst, i64 1, i1 false)
  br label %join

join:
  %address = call ptr @llvm.coro.subfn.addr(ptr %frame, i8 0)
  call fastcc void %address(ptr %frame)
  %s = call i8 @llvm.coro.suspend(token %save, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %suspend
  ]

resume:
  call void @print(i32 0)
  br label %join

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare void @print(i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare token @llvm.coro.save(ptr)
declare ptr @llvm.coro.subfn.addr(ptr, i8)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
