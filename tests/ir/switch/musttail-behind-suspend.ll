; A musttail call after a suspend must be the last call of a clone, which takes the frame and returns void. A call of a
; clone is unchanged. Any other is rejected, as it cannot be honored, except in the ramp only, which has the coroutine's
; type. LLVM 22 leaves a broken module.
; RUN: split-file %s %t
; RUN: not pycoro opt %t/other.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=OTHER
; RUN: pycoro opt %t/alike.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s --check-prefix=ALIKE
; RUN: sed 's/fastcc //' %t/alike.ll | not pycoro opt - -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=CONVENTION
; RUN: sed 's/%%given = musttail/%%given = tail/' %t/other.ll | pycoro opt - -S -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s --check-prefix=MENDED
; UNSUPPORTED: reference

; OTHER-NOT: define
; OTHER: after a suspend a musttail call would end a clone
; OTHER: @f, %resumed: %given = musttail call ptr @next(i32 %n)
; OTHER: use `tail call`
; ALIKE-LABEL: define fastcc void @f(
; ALIKE: musttail call fastcc void @next(
; ALIKE-NEXT: ret void
; ALIKE-LABEL: define internal fastcc void @f.resume(
; ALIKE: musttail call fastcc void @next(
; ALIKE-NEXT: ret void
; ALIKE-LABEL: define internal fastcc void @f.destroy(
; MENDED-LABEL: define ptr @f(
; MENDED: musttail call ptr @next(
; MENDED-LABEL: define internal fastcc void @f.resume(
; MENDED: {{= }}tail call ptr @next(
; MENDED-NEXT: ret void
; CONVENTION-NOT: define
; CONVENTION: after a suspend a musttail call would end a clone

;--- other.ll
define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %early = call i1 @is_over()
  br i1 %early, label %over, label %waits

over:
  %early.given = musttail call ptr @next(i32 %n)
  ret ptr %early.given

waits:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %done ]

resumed:
  %given = musttail call ptr @next(i32 %n)
  ret ptr %given

done:
  %dead = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.size.i64()
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i1 @is_over()
declare ptr @next(i32)

;--- alike.ll
define fastcc void @f(ptr %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %early = call i1 @is_over()
  br i1 %early, label %over, label %waits

over:
  musttail call fastcc void @next(ptr %n)
  ret void

waits:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %done ]

resumed:
  musttail call fastcc void @next(ptr %n)
  ret void

done:
  %dead = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret void
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.size.i64()
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i1 @is_over()
declare fastcc void @next(ptr)
