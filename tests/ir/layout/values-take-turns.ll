; Spilled values with disjoint live ranges share bytes: a phi is live from its definition only. A division is repeated
; after a suspend.
; RUN: split-file %s %t
; RUN: cat %t/turns.ll %t/rest.ll | pycoro opt -S -verify-each -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup' | FileCheck %s --check-prefix=TURNS
; RUN: cat %t/divided.ll %t/rest.ll | pycoro opt -S -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s --check-prefix=DIVIDED
; UNSUPPORTED: reference

; %x over the first suspend, %y over the second: eight bytes for both.
; TURNS-LABEL: define ptr @turns(
; TURNS: call ptr @malloc(i64 32)

; DIVIDED-LABEL: define ptr @divided(
; DIVIDED: call ptr @malloc(i64 24)
; DIVIDED-LABEL: define internal fastcc void @divided.resume(
; DIVIDED: %quotient = fdiv double 1.000000e+00,

;--- turns.ll
define ptr @turns() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop
loop:
  %x = phi i64 [ 1, %entry ], [ %y, %again ]
  call void @show(i64 %x)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]
resumed:
  call void @show(i64 %x)
  %y = call i64 @next()
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %out [
    i8 0, label %again
    i8 1, label %destroyed
  ]
again:
  br label %loop
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

;--- divided.ll
define ptr @divided(double %x) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %quotient = fdiv double 1.000000e+00, %x
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]
resumed:
  call void @show.double(double %x)
  call void @show.double(double %quotient)
  br label %destroyed
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

;--- rest.ll
declare void @show(i64)
declare void @show.double(double)
declare i64 @next()
declare ptr @malloc(i64)
declare void @free(ptr)
