; An address that a call only returns does not escape: its uses are those of the result.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -S -verify-each -check-lowering -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup' | FileCheck %s

; All uses of %x and of the result are before the suspend, so the frame has only the header.
; CHECK-LABEL: define ptr @before(
; CHECK: call ptr @malloc(i64 16)
define ptr @before() presplitcoroutine {
entry:
  %x = alloca [4 x i64]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %second = call ptr @get(ptr captures(ret: address, provenance) %x)
  store i64 1, ptr %second
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [i8 0, label %destroyed
                            i8 1, label %destroyed]
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

; The result is used after the suspend: %x lives in the frame, as does the address.
; CHECK-LABEL: define ptr @after(
; CHECK: call ptr @malloc(i64 56)
define ptr @after() presplitcoroutine {
entry:
  %x = alloca [4 x i64]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %second = call ptr @get(ptr captures(ret: address, provenance) %x)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [i8 0, label %resumed
                            i8 1, label %destroyed]
resumed:
  store i64 1, ptr %second
  br label %destroyed
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

; The result is stored elsewhere, so %x is in the frame.
; CHECK-LABEL: define ptr @stored(
; CHECK: call ptr @malloc(i64 48)
define ptr @stored(ptr %to) presplitcoroutine {
entry:
  %x = alloca [4 x i64]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %second = call ptr @get(ptr captures(ret: address, provenance) %x)
  store ptr %second, ptr %to
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [i8 0, label %destroyed
                            i8 1, label %destroyed]
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

; Before llvm.coro.begin the call captures the address, since the result cannot be rematerialized for the frame.
; CHECK-LABEL: define ptr @early(
; CHECK: call ptr @malloc(i64 48)
define ptr @early() presplitcoroutine {
entry:
  %x = alloca [4 x i64]
  %second = call ptr @get(ptr captures(ret: address, provenance) %x)
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [i8 0, label %resumed
                            i8 1, label %destroyed]
resumed:
  store i64 1, ptr %x
  br label %destroyed
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare ptr @get(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
