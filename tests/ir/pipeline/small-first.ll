; Functions whose body is hardly more than a call of it are inlined before a group goes through its functions in rounds:
; @small, also in a coroutine, and no others; noinline, and what is in no group that inlines, are heeded.
; UNSUPPORTED: reference
; RUN: pycoro opt -disable-output -print-after-all -passes='coro-early,cgscc(inline,coro-split),coro-cleanup' %s 2>&1 | FileCheck %s
; RUN: pycoro opt -disable-output --json -passes='default<O2>' %s | FileCheck %s --check-prefix=LEVEL
; RUN: pycoro opt -disable-output --json -passes='coro-early,cgscc(function(sroa),coro-split),coro-cleanup' %s | FileCheck %s --check-prefix=NONE
; RUN: sed 's/internal i32 @small(i32 %%n)/internal i32 @small(i32 %%n) noinline/' %s > %t.ll
; RUN: pycoro opt -disable-output --json -passes='coro-early,cgscc(inline,coro-split),coro-cleanup' %t.ll | FileCheck %s --check-prefix=NOBODY

; LEVEL: "name": "require<profile-summary>,cgscc(inline
; LEVEL: "name": "globaldce,function
; LEVEL-NOT: "name": "require<profile-summary>,cgscc(inline
; NONE-NOT: cgscc(inline
; NOBODY-NOT: "name": "require<profile-summary>,cgscc(inline)"

; CHECK: IR Dump After require<profile-summary>,cgscc(inline) on [module]
; CHECK-NOT: @small(
; CHECK: define internal i32 @kept(i32 %n) #[[KEPT:[0-9]+]] {
; CHECK: define internal i32 @large(i32 %n) {
; CHECK: define ptr @coroutine(i32 %n) #[[#]] {
; CHECK: mul i32 %n, 5
; CHECK: call i32 @large(i32 %n)
; CHECK: call i32 @kept(i32 %n)
; CHECK: attributes #[[KEPT]] = { noinline }
; CHECK: IR Dump After cgscc(inline) on [module]
; CHECK-NOT: call i32 @large(

define internal i32 @small(i32 %n) {
  %m = mul i32 %n, 5
  ret i32 %m
}

define internal i32 @kept(i32 %n) noinline {
  %m = mul i32 %n, 7
  ret i32 %m
}

define internal i32 @large(i32 %n) {
  %odd = trunc i32 %n to i1
  br i1 %odd, label %one, label %two
one:
  ret i32 1
two:
  ret i32 2
}

define ptr @coroutine(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %a = call i32 @small(i32 %n)
  %b = call i32 @large(i32 %n)
  %c = call i32 @kept(i32 %n)
  call void @print(i32 %a, i32 %b, i32 %c)
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
declare void @print(i32, i32, i32)
