; Code after a suspend may compare constants of any width: each clone takes the program's branch. Each of five
; coroutines is resumed, and recreated and destroyed.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: call {{.*}}@llvm.coro
; Each of five coroutines is resumed, and made again and destroyed.
; OUT: {{^}}1 1 2 2 3 3 4 4 5 5{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"

define ptr @unsigned_i32() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %no = icmp ult i32 256, 1
  %goes.on = icmp sge i8 %s, 0
  %stays = icmp eq i1 %goes.on, %no
  br i1 %stays, label %suspend, label %body

body:
  call void @show(i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @equal_i128() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %no = icmp eq i128 18446744073709551616, 0
  %goes.on = icmp sge i8 %s, 0
  %stays = icmp eq i1 %goes.on, %no
  br i1 %stays, label %suspend, label %body

body:
  call void @show(i32 2)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @signed_i128() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %no = icmp sgt i128 -18446744073709551616, 0
  %goes.on = icmp sge i8 %s, 0
  %stays = icmp eq i1 %goes.on, %no
  br i1 %stays, label %suspend, label %body

body:
  call void @show(i32 3)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @samesign_i65() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %no = icmp samesign uge i65 1, 18446744073709551615
  %goes.on = icmp sge i8 %s, 0
  %stays = icmp eq i1 %goes.on, %no
  br i1 %stays, label %suspend, label %body

body:
  call void @show(i32 4)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @by_switch() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i128 36893488147419103233, label %low [
    i128 1, label %low
    i128 18446744073709551617, label %low
    i128 36893488147419103233, label %same
  ]

low:
  call void @show(i32 -1)
  br label %same

same:
  %in.ramp = call i1 @llvm.coro.is_in_ramp()
  br i1 %in.ramp, label %suspend, label %body

body:
  call void @show(i32 5)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define void @show(i32 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @int, i32 %v)
  ret void
}

define void @run(ptr %f) {
  %a = call ptr %f()
  call void @llvm.coro.resume(ptr %a)
  %b = call ptr %f()
  call void @llvm.coro.destroy(ptr %b)
  ret void
}

define i32 @main() {
  call void @run(ptr @unsigned_i32)
  call void @run(ptr @equal_i128)
  call void @run(ptr @signed_i128)
  call void @run(ptr @samesign_i65)
  call void @run(ptr @by_switch)
  ret i32 0
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i32 @llvm.coro.size.i32()
declare i8 @llvm.coro.suspend(token, i1)
declare i1 @llvm.coro.is_in_ramp()
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare ptr @malloc(i32)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
