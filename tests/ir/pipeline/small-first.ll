; Trivial wrapper functions are inlined before a group that starts with LLVM's inliner, also into coroutines; other
; functions are not. alwaysinline and noinline are respected.
; UNSUPPORTED: reference
; RUN: pycoro opt -disable-output -print-after-all -passes='coro-early,cgscc(devirt<4>(inline,coro-split)),coro-cleanup' %s 2>&1 | FileCheck %s
; RUN: pycoro opt -disable-output --json -passes='default<O2>' %s | FileCheck %s --check-prefix=LEVEL
; RUN: sed 's/internal i32 @small(i32 %%n)/internal i32 @small(i32 %%n) noinline/' %s > %t.ll
; RUN: pycoro opt -disable-output --json -passes='coro-early,cgscc(inline,coro-split),coro-cleanup' %t.ll | FileCheck %s --check-prefix=NONE

; Passes that stand before the inliner see all functions.
; RUN: pycoro opt -disable-output --json -passes='coro-early,cgscc(function(sroa),inline,coro-split),coro-cleanup' %s | FileCheck %s --check-prefix=NONE
; RUN: pycoro opt -disable-output --json -passes='coro-early,cgscc(coro-split,inline),coro-cleanup' %s | FileCheck %s --check-prefix=NONE
; RUN: pycoro opt -disable-output --json -passes='coro-early,cgscc(inline<only-mandatory>,coro-split),coro-cleanup' %s | FileCheck %s --check-prefix=NONE

; LEVEL: "name": "require<profile-summary>,cgscc(inline)"
; LEVEL: "name": "globaldce,function
; LEVEL-NOT: "name": "require<profile-summary>,cgscc(inline)"
; NONE-NOT: "name": "require<profile-summary>,cgscc(inline)"

; CHECK: IR Dump After require<profile-summary>,cgscc(inline) on [module]
; CHECK-NOT: @small(
; CHECK-NOT: @always(
; CHECK: define internal i32 @large(i32 %n) {
; CHECK: define internal i32 @branches(i32 %n) {
; CHECK: define internal i32 @kept(i32 %n) #[[KEPT:[0-9]+]] {
; CHECK: define internal void @throws() {
; CHECK: define ptr @coroutine(i32 %n) #[[#]] {
; CHECK: mul i32 %n, 5
; CHECK: call i32 @large(i32 %n)
; CHECK: call i32 @branches(i32 %n)
; CHECK: call i32 @kept(i32 %n)
; CHECK: srem i32
; CHECK: call void @throws()
; CHECK: attributes #[[KEPT]] = { noinline }
; CHECK: IR Dump After cgscc(devirt<4>(inline)) on [module]
; CHECK-NOT: call i32 @large(
; CHECK-NOT: call i32 @branches(

; As much as is small with one parameter: a call counts as six.
define internal i32 @small(i32 %n) {
  %m1 = mul i32 %n, 5
  %m2 = xor i32 %m1, %n
  %m3 = mul i32 %m2, %n
  %c = call i32 @other()
  %m4 = xor i32 %m3, %c
  ret i32 %m4
}

define internal i32 @large(i32 %n) {
  %m1 = mul i32 %n, 5
  %m2 = xor i32 %m1, %n
  %m3 = mul i32 %m2, %n
  %c = call i32 @other()
  %m4 = xor i32 %m3, %c
  %m5 = mul i32 %m4, %n
  ret i32 %m5
}

define internal i32 @branches(i32 %n) {
  %odd = trunc i32 %n to i1
  br i1 %odd, label %one, label %two
one:
  ret i32 1
two:
  ret i32 2
}

define internal i32 @kept(i32 %n) noinline {
  %m = mul i32 %n, 7
  ret i32 %m
}

define internal i32 @always(i32 %n) alwaysinline {
  %odd = trunc i32 %n to i1
  br i1 %odd, label %one, label %two
one:
  ret i32 1
two:
  %m = srem i32 %n, 3
  ret i32 %m
}

define internal void @throws() {
  call void @throw()
  unreachable
}

define ptr @coroutine(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %a = call i32 @small(i32 %n)
  %b = call i32 @large(i32 %n)
  %c = call i32 @branches(i32 %n)
  %d = call i32 @kept(i32 %n)
  %e = call i32 @always(i32 %n)
  call void @print(i32 %a, i32 %b, i32 %c, i32 %d, i32 %e)
  %more = icmp eq i32 %a, %b
  br i1 %more, label %wait, label %never
never:
  call void @throws()
  br label %wait
wait:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [i8 0, label %destroy
                            i8 1, label %destroy]
destroy:
  %dead = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %dead)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.size.i64()
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @other()
declare void @throw()
declare void @print(i32, i32, i32, i32, i32)
