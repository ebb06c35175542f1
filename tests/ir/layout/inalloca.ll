; The memory in which a call passes its arguments (inalloca) stays an alloca, where it is made: the call finds it on top of
; the stack. So does an alloca that an intrinsic about variables on the stack names. A suspend between the uses of either is
; rejected.
; UNSUPPORTED: reference
; RUN: split-file %s %t
; RUN: pycoro opt %t/fits.ll -S -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s
; RUN: pycoro opt %t/fits.ll -S -verify-each -passes='default<O2>' | FileCheck %s --check-prefix=O2
; RUN: pycoro opt %t/routes.ll -S -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s --check-prefix=ROUTES
; RUN: pycoro opt %t/routes.ll -S -verify-each -passes='default<O0>' | FileCheck %s --check-prefix=ROUTES
; RUN: not pycoro opt %t/across.ll -disable-output -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=ACROSS
; RUN: not pycoro opt %t/preallocated.ll -disable-output -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=PREALLOCATED
; RUN: pycoro opt %t/gcroot-fits.ll -S -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s --check-prefix=ROOT
; RUN: not pycoro opt %t/gcroot.ll -disable-output -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=GCROOT
; RUN: not pycoro opt %t/promise.ll -disable-output -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=PROMISE
; RUN: not pycoro opt %t/protector.ll -disable-output -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=PROTECTOR

; In a loop through a suspend, too.
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: %save = call ptr @llvm.stacksave.p0()
; CHECK-NEXT: %args = alloca inalloca <{ i32, [5 x i32] }>
; CHECK-NEXT: %second = getelementptr inbounds
; CHECK-NEXT: call void @fill(ptr %second)
; CHECK-NEXT: call void @use(ptr inalloca(<{ i32, [5 x i32] }>) %args)
; CHECK-NEXT: call void @llvm.stackrestore.p0(ptr %save)

; The address may reach the call by any route: a phi, address arithmetic, memory.
; ROUTES-LABEL: define internal fastcc void @chosen.resume(
; ROUTES: %a = alloca inalloca i32
; ROUTES: %b = alloca inalloca i32
; ROUTES: %chosen = phi ptr [ %a, %{{.*}} ], [ %b, %{{.*}} ]
; ROUTES-NEXT: call void @use(ptr inalloca(i32) %chosen)
; ROUTES-LABEL: define internal fastcc void @computed.resume(
; ROUTES: %pair = alloca inalloca { i32, i32 }
; ROUTES: call void @use(ptr inalloca(i32) %first)
; ROUTES: %kept = alloca inalloca i32
; ROUTES: call void @use(ptr inalloca(i32) %loaded)

; O2-LABEL: define internal fastcc void @f.resume(
; O2: alloca inalloca
; O2: call void @use(ptr nonnull inalloca(

; ACROSS: error: this alloca must be on the stack because a call passes its arguments in it by inalloca, but its uses are on both sides of a suspend
; ACROSS-NEXT: @f, %go: %args = alloca inalloca i32
; ACROSS-NEXT: help: suspend before the alloca or after its last use

; PREALLOCATED: error: a token's definition is separated from its use by a suspend
; PREALLOCATED-NEXT: @f, %again: call void @use(ptr preallocated(i32) %arg) [ "preallocated"(token %setup) ]

; ROOT-LABEL: define ptr @f(
; ROOT: %root = alloca ptr
; ROOT: call void @llvm.gcroot(ptr %root, ptr null)
; GCROOT: error: this alloca must be on the stack because llvm.gcroot names it, but its uses are on both sides of a suspend
; GCROOT-NEXT: @f, %entry: %root = alloca ptr
; PROMISE: error: this alloca must be on the stack because llvm.gcroot names it, but its uses are on both sides of a suspend
; PROMISE-NEXT: @f, %entry: %promise = alloca ptr
; PROTECTOR: because llvm.stackprotector names it

;--- fits.ll
target datalayout = "e-m:x-p:32:32-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32-a:0:32-S32"
target triple = "i686-pc-windows-msvc"
define ptr @f(ptr %mem) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br label %loop
loop:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %go
                             i8 1, label %out ]
go:
  %save = call ptr @llvm.stacksave.p0()
  %args = alloca inalloca <{ i32, [5 x i32] }>, align 4
  %second = getelementptr inbounds <{ i32, [5 x i32] }>, ptr %args, i32 0, i32 1
  call void @fill(ptr %second)
  call void @use(ptr inalloca(<{ i32, [5 x i32] }>) %args)
  call void @llvm.stackrestore.p0(ptr %save)
  br label %loop
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
declare void @fill(ptr)
declare void @use(ptr inalloca(<{ i32, [5 x i32] }>))

;--- routes.ll
define ptr @chosen(ptr %mem, i1 %which) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %go
                             i8 1, label %out ]
go:
  br i1 %which, label %left, label %right
left:
  %a = alloca inalloca i32
  call void @fill(ptr %a)
  br label %call
right:
  %b = alloca inalloca i32
  call void @fill(ptr %b)
  br label %call
call:
  %chosen = phi ptr [ %a, %left ], [ %b, %right ]
  call void @use(ptr inalloca(i32) %chosen)
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %out [ i8 0, label %out
                             i8 1, label %out ]
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define ptr @computed(ptr %mem) presplitcoroutine {
entry:
  %slot = alloca ptr
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %go
                             i8 1, label %out ]
go:
  %pair = alloca inalloca { i32, i32 }
  call void @fill(ptr %pair)
  %second = getelementptr i8, ptr %pair, i64 4
  %first = getelementptr i8, ptr %second, i64 -4
  call void @use(ptr inalloca(i32) %first)
  %kept = alloca inalloca i32
  call void @fill(ptr %kept)
  store ptr %kept, ptr %slot
  %loaded = load ptr, ptr %slot
  call void @use(ptr inalloca(i32) %loaded)
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %out [ i8 0, label %out
                             i8 1, label %out ]
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
declare void @fill(ptr)
declare void @use(ptr inalloca(i32))

;--- across.ll
define ptr @f(ptr %mem) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br label %go
go:
  %args = alloca inalloca i32
  store i32 1, ptr %args
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %again
                             i8 1, label %out ]
again:
  call void @use(ptr inalloca(i32) %args)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
declare void @use(ptr inalloca(i32))

;--- preallocated.ll
define ptr @f(ptr %mem) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %setup = call token @llvm.call.preallocated.setup(i32 1)
  %arg = call ptr @llvm.call.preallocated.arg(token %setup, i32 0) preallocated(i32)
  store i32 1, ptr %arg
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %again
                             i8 1, label %out ]
again:
  call void @use(ptr preallocated(i32) %arg) ["preallocated"(token %setup)]
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
declare void @use(ptr preallocated(i32))

;--- gcroot-fits.ll
define ptr @f(ptr %mem) presplitcoroutine gc "shadow-stack" {
entry:
  %root = alloca ptr
  call void @llvm.gcroot(ptr %root, ptr null)
  store ptr %mem, ptr %root
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %out
                             i8 1, label %out ]
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

;--- gcroot.ll
define ptr @f(ptr %mem) presplitcoroutine gc "shadow-stack" {
entry:
  %root = alloca ptr
  call void @llvm.gcroot(ptr %root, ptr null)
  store ptr %mem, ptr %root
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %again
                             i8 1, label %out ]
again:
  %found = load ptr, ptr %root
  call void @use(ptr %found)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
declare void @use(ptr)

;--- promise.ll
define ptr @f(ptr %mem) presplitcoroutine gc "shadow-stack" {
entry:
  %promise = alloca ptr
  call void @llvm.gcroot(ptr %promise, ptr null)
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %out
                             i8 1, label %out ]
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

;--- protector.ll
define ptr @f(ptr %mem) presplitcoroutine {
entry:
  %slot = alloca ptr
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  call void @llvm.stackprotector(ptr null, ptr %slot)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %again
                             i8 1, label %out ]
again:
  call void @use(ptr %slot)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
declare void @use(ptr)
