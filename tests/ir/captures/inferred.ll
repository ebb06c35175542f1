; coro-infer-captures marks the arguments that callees do not capture, in unsplit coroutines only.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -S -verify-each -passes=coro-infer-captures | FileCheck %s
; RUN: pycoro opt %s -disable-output -verify-each -passes='coro-infer-captures,coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup'

@kept = global ptr null

; CHECK-LABEL: define ptr @f(
; CHECK: call void @writes(ptr captures(none) %x)
; CHECK: call void @writes.through.variable(ptr captures(none) %x)
; CHECK: call void @writes.in.loop(ptr captures(none) %x)
; CHECK: call void @writes.one(ptr captures(none) %x, ptr captures(none) %y)
; CHECK: call ptr @returns(ptr captures(ret: address, provenance) %x)
; CHECK: call ptr @returns.through.call(ptr captures(ret: address, provenance) %x)
; CHECK: call void @ignores.result(ptr captures(none) %x)
; CHECK: call i1 @compares(ptr %x, ptr captures(none) %y)
; CHECK: call void @keeps(ptr %x)
; CHECK: call void @keeps.through.variable(ptr %x)
; CHECK: call void @keeps.result(ptr %x)
; CHECK: call void @keeps.and.returns(ptr %x)
; CHECK: call void @changes.variable(ptr %x, ptr captures(none) %y)
; CHECK: call void @volatile.variable(ptr %x)
; CHECK: call void @integer.variable(ptr %x)
; CHECK: call void @is.declared(ptr %x)
; CHECK: call void @can.be.replaced(ptr %x)
; CHECK: call void @writes(ptr %x) [ "deopt"(ptr %x) ]
; CHECK: call ptr @uses.before.suspend(ptr captures(none) %x)
; CHECK: call ptr @uses.after.suspend(ptr %x)
; CHECK: call ptr @loads.after.suspend(ptr %x)
; CHECK: call void @llvm.coro.await.suspend.void(ptr captures(none) %x, ptr captures(none) %handle, ptr @await)
define ptr @f() presplitcoroutine {
entry:
  %x = alloca [2 x i64]
  %y = alloca [2 x i64]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @writes(ptr %x)
  call void @writes.through.variable(ptr %x)
  call void @writes.in.loop(ptr %x)
  call void @writes.one(ptr %x, ptr %y)
  %a = call ptr @returns(ptr %x)
  %b = call ptr @returns.through.call(ptr %x)
  call void @ignores.result(ptr %x)
  %compared = call i1 @compares(ptr %x, ptr %y)
  call void @keeps(ptr %x)
  call void @keeps.through.variable(ptr %x)
  call void @keeps.result(ptr %x)
  call void @keeps.and.returns(ptr %x)
  call void @changes.variable(ptr %x, ptr %y)
  call void @volatile.variable(ptr %x)
  call void @integer.variable(ptr %x)
  call void @is.declared(ptr %x)
  call void @can.be.replaced(ptr %x)
  call void @writes(ptr %x) [ "deopt"(ptr %x) ]
  %c = call ptr @uses.before.suspend(ptr %x)
  %d = call ptr @uses.after.suspend(ptr %x)
  %e = call ptr @loads.after.suspend(ptr %x)
  call void @llvm.coro.await.suspend.void(ptr %x, ptr %handle, ptr @await)
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

; CHECK-LABEL: define void @no.coroutine(
; CHECK: call void @writes(ptr %x)
define void @no.coroutine() {
  %x = alloca [2 x i64]
  call void @writes(ptr %x)
  ret void
}

define linkonce_odr void @writes(ptr %p) {
  store i64 1, ptr %p
  ret void
}

define linkonce_odr void @writes.through.variable(ptr %p) {
  %variable = alloca ptr
  store ptr %p, ptr %variable
  %same = load ptr, ptr %variable
  store i64 1, ptr %same
  ret void
}

define linkonce_odr ptr @returns(ptr %p) {
  %second = getelementptr i64, ptr %p, i64 1
  ret ptr %second
}

define linkonce_odr ptr @returns.through.call(ptr %p) {
  %variable = alloca ptr
  %second = call ptr @returns(ptr %p)
  store ptr %second, ptr %variable
  %same = load ptr, ptr %variable
  ret ptr %same
}

define linkonce_odr void @ignores.result(ptr %p) {
  %second = call ptr @returns(ptr %p)
  store i64 2, ptr %second
  ret void
}

define linkonce_odr i1 @compares(ptr %p, ptr %q) {
  %next = getelementptr i64, ptr %q, i64 1
  %same = icmp eq ptr %next, %q
  %null = icmp eq ptr %q, null
  %kept = icmp eq ptr %p, @kept
  ret i1 %kept
}

define linkonce_odr void @keeps(ptr %p) {
  store ptr %p, ptr @kept
  ret void
}

define linkonce_odr void @keeps.through.variable(ptr %p) {
  %variable = alloca ptr
  store ptr %p, ptr %variable
  %same = load ptr, ptr %variable
  store ptr %same, ptr @kept
  ret void
}

define linkonce_odr void @keeps.result(ptr %p) {
  %second = call ptr @returns(ptr %p)
  store ptr %second, ptr @kept
  ret void
}

define linkonce_odr ptr @keep.and.return(ptr %p) {
  store ptr %p, ptr @kept
  ret ptr %p
}

define linkonce_odr void @keeps.and.returns(ptr %p) {
  %same = call ptr @keep.and.return(ptr %p)
  store i64 1, ptr %same
  ret void
}

define linkonce_odr void @writes.in.loop(ptr %p) {
entry:
  %variable = alloca ptr
  store ptr %p, ptr %variable
  br label %loop
loop:
  %at = load ptr, ptr %variable
  store i64 1, ptr %at
  %next = getelementptr i64, ptr %at, i64 1
  store ptr %next, ptr %variable
  %done = icmp eq ptr %next, null
  br i1 %done, label %out, label %loop
out:
  ret void
}

define linkonce_odr void @writes.one(ptr %p, ptr %q) {
  %first = icmp eq ptr %p, null
  %one = select i1 %first, ptr %p, ptr %q
  %same = freeze ptr %one
  %index = load i64, ptr %q
  %element = getelementptr i64, ptr %same, i64 %index
  store i64 1, ptr %element
  ret void
}

; A variable that is stored twice may hold either address.
define linkonce_odr void @changes.variable(ptr %p, ptr %q) {
  %variable = alloca ptr
  store ptr %p, ptr %variable
  store ptr null, ptr %variable
  %one = load ptr, ptr %variable
  store ptr %one, ptr @kept
  store i64 1, ptr %q
  ret void
}

define linkonce_odr void @volatile.variable(ptr %p) {
  %variable = alloca ptr
  store ptr %p, ptr %variable
  %same = load volatile ptr, ptr %variable
  store i64 1, ptr %same
  ret void
}

define linkonce_odr void @integer.variable(ptr %p) {
  %variable = alloca ptr
  store ptr %p, ptr %variable
  %number = load i64, ptr %variable
  store i64 %number, ptr @kept
  ret void
}

define weak void @can.be.replaced(ptr %p) {
  ret void
}

define linkonce_odr void @await(ptr %awaiter, ptr %handle) {
  store i64 1, ptr %awaiter
  ret void
}

define linkonce_odr ptr @uses.before.suspend(ptr %p) presplitcoroutine {
entry:
  %variable = alloca ptr
  store ptr %p, ptr %variable
  %same = load ptr, ptr %variable
  store i64 1, ptr %same
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
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

define linkonce_odr ptr @uses.after.suspend(ptr %p) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [i8 0, label %resumed
                            i8 1, label %destroyed]
resumed:
  store i64 1, ptr %p
  br label %destroyed
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define linkonce_odr ptr @loads.after.suspend(ptr %p) presplitcoroutine {
entry:
  %variable = alloca ptr
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr %p, ptr %variable
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [i8 0, label %resumed
                            i8 1, label %destroyed]
resumed:
  %same = load ptr, ptr %variable
  store i64 1, ptr %same
  br label %destroyed
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare void @is.declared(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.await.suspend.void(ptr, ptr, ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
