; await.suspend.handle in a clone ends in a tail call of the next coroutine: two hundred thousand transfers do not
; deepen the stack. Nor do they where tail calls are disabled.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; Nor where tail calls are forbidden.
; RUN: sed 's/presplitcoroutine {/presplitcoroutine "disable-tail-calls"="true" {/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.loop.ll
; RUN: FileCheck %s --check-prefix=LOOP < %t.loop.ll
; RUN: lli-22 %t.loop.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: call {{.*}}@llvm.coro
; CHECK: define internal fastcc void @f.resume(
; CHECK: musttail call fastcc void %{{.*}}(ptr
; CHECK-NEXT: ret void
; CHECK: define internal fastcc void @f.destroy(
; LOOP-NOT: musttail
; LOOP: call void @f.transfer(
; OUT: {{^}}200000{{ ?$}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"
@partner = global ptr null
@turns = global i32 0

define ptr @f(ptr %slot) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %suspend [
    i8 0, label %loop
    i8 1, label %cleanup
  ]

loop:
  %save = call token @llvm.coro.save(ptr %frame)
  call void @llvm.coro.await.suspend.handle(ptr %slot, ptr %frame, ptr @hand.over)
  %s2 = call i8 @llvm.coro.suspend(token %save, i1 false)
  switch i8 %s2, label %suspend [
    i8 0, label %loop
    i8 1, label %cleanup
  ]

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

; Swaps the two handles until there were enough turns, then hands over to nobody.
define ptr @hand.over(ptr %slot, ptr %self) {
  %turn = load i32, ptr @turns
  %enough = icmp uge i32 %turn, 200000
  br i1 %enough, label %stop, label %go

stop:
  %nobody = call ptr @llvm.coro.noop()
  ret ptr %nobody

go:
  %next = add i32 %turn, 1
  store i32 %next, ptr @turns
  %other = load ptr, ptr %slot
  store ptr %self, ptr %slot
  ret ptr %other
}

define i32 @main() {
  %a = call ptr @f(ptr @partner)
  %b = call ptr @f(ptr @partner)
  store ptr %b, ptr @partner
  call void @llvm.coro.resume(ptr %a)
  %turn = load i32, ptr @turns
  call i32 (ptr, ...) @printf(ptr @int, i32 %turn)
  call void @llvm.coro.destroy(ptr %a)
  call void @llvm.coro.destroy(ptr %b)
  ret i32 0
}

declare void @llvm.coro.await.suspend.handle(ptr, ptr, ptr)
declare ptr @llvm.coro.noop()

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i32 @llvm.coro.size.i32()
declare token @llvm.coro.save(ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare ptr @malloc(i32)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
