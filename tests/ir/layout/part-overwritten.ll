; A partial store to an alloca keeps the rest live: %pair shares no bytes across the first suspend, although its next
; access is a store. %whole is overwritten completely, so %x and %y share its bytes until then.
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup' -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; UNSUPPORTED: reference

; CHECK-LABEL: define ptr @part(
; CHECK: call ptr @malloc(i64 56)
; CHECK-LABEL: define ptr @whole(
; CHECK: call ptr @malloc(i64 40)

; OUT: {{^}}5 6 3 2 5 6 3 {{$}}

@format = private constant [6 x i8] c"%lld \00"
@line = private constant [2 x i8] c"\0A\00"

define ptr @part() presplitcoroutine {
entry:
  %pair = alloca { i64, i64 }
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store { i64, i64 } { i64 1, i64 2 }, ptr %pair
  %x = call i64 @same(i64 5)
  %y = call i64 @same(i64 6)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]
resumed:
  call void @show(i64 %x)
  call void @show(i64 %y)
  store i64 3, ptr %pair
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %out [
    i8 0, label %again
    i8 1, label %destroyed
  ]
again:
  %first = load i64, ptr %pair
  call void @show(i64 %first)
  %second.addr = getelementptr i8, ptr %pair, i64 8
  %second = load i64, ptr %second.addr
  call void @show(i64 %second)
  br label %destroyed
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @whole() presplitcoroutine {
entry:
  %whole = alloca { i64, i64 }
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store { i64, i64 } { i64 1, i64 2 }, ptr %whole
  %x = call i64 @same(i64 5)
  %y = call i64 @same(i64 6)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]
resumed:
  call void @show(i64 %x)
  call void @show(i64 %y)
  store { i64, i64 } { i64 3, i64 4 }, ptr %whole
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %out [
    i8 0, label %again
    i8 1, label %destroyed
  ]
again:
  %first = load i64, ptr %whole
  call void @show(i64 %first)
  br label %destroyed
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define internal i64 @same(i64 %number) noinline {
  ret i64 %number
}

define internal void @show(i64 %number) {
  %1 = call i32 (ptr, ...) @printf(ptr @format, i64 %number)
  ret void
}

define i32 @main() {
  %part = call ptr @part()
  call void @llvm.coro.resume(ptr %part)
  call void @llvm.coro.resume(ptr %part)
  %whole = call ptr @whole()
  call void @llvm.coro.resume(ptr %whole)
  call void @llvm.coro.resume(ptr %whole)
  %1 = call i32 (ptr, ...) @printf(ptr @line)
  ret i32 0
}

declare i32 @printf(ptr, ...)
declare ptr @malloc(i64)
declare void @free(ptr)
