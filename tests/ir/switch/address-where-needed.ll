; The address of a field is computed in each block that uses it, so that no register is live across earlier calls: none
; is computed at the clone's start, and each block has one.
; RUN: pycoro opt %s -S -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s
; UNSUPPORTED: reference

; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK-NEXT: entry.resume:
; CHECK-NOT: getelementptr
; CHECK: {{^}}last:
; CHECK-NEXT: [[LATER:%.+]] = getelementptr inbounds i8, ptr %frame, i64 16
; CHECK-NEXT: call void @end(ptr [[LATER]])
; CHECK-LABEL: define internal fastcc void @f.destroy(

define ptr @f() presplitcoroutine {
entry:
  %variable = alloca i64
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @start(ptr %variable)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  call void @work()
  %more = call i1 @ask()
  br i1 %more, label %last, label %cleanup

last:
  call void @end(ptr %variable)
  br label %cleanup

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @start(ptr)
declare void @end(ptr)
declare void @work()
declare i1 @ask()
