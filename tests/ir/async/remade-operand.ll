; An operand of a suspend's call is rematerialized at the start of an empty block in a clone: the reload of its operand
; comes first.
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %s | FileCheck %s

; CHECK-LABEL: define internal swifttailcc void @f.resume.1(
; CHECK: loop:
; CHECK-NEXT: %a.reload = load i32, ptr
; CHECK-NEXT: %v = sub i32 1, %a.reload
; CHECK-NEXT: call void @told(i32 %v)

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@f.pointer = global <{ i32, i32 }> <{ i32 0, i32 16 }>

define swifttailcc void @f(ptr swiftasync %context, i32 %a) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @f.pointer)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %first = call ptr @llvm.coro.async.resume()
  %came = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %first, ptr @same, ptr @hand,
      ptr %context, ptr %first, i32 %a)
  %v = sub i32 1, %a
  br label %loop

loop:
  %resume = call ptr @llvm.coro.async.resume()
  %again = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %resume, ptr @same, ptr @hand,
      ptr %context, ptr %resume, i32 %v)
  %more = call i1 @more()
  br i1 %more, label %loop, label %end

end:
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false)
  unreachable
}

define internal swifttailcc void @hand(ptr swiftasync %context, ptr %resume, i32 %v) {
  call void @told(i32 %v)
  ret void
}

define internal ptr @same(ptr %context) {
  ret ptr %context
}

declare i1 @more()
declare void @told(i32)
