; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-cleanup %s -o - | FileCheck %s --implicit-check-not=llvm.coro
; CHECK: @target = global <{ i32, i32 }> <{ i32 7, i32 64 }>
; CHECK: @source = constant <{ i32, i32 }> <{ i32 9, i32 64 }>
@target = global <{ i32, i32 }> <{ i32 7, i32 16 }>
@source = constant <{ i32, i32 }> <{ i32 9, i32 64 }>

define ptr @f() {
  call void @llvm.coro.async.size.replace(ptr @target, ptr @source)
  %resume = call ptr @llvm.coro.async.resume()
  ; CHECK: ret ptr null
  ret ptr %resume
}

declare void @llvm.coro.async.size.replace(ptr, ptr)
declare ptr @llvm.coro.async.resume()
