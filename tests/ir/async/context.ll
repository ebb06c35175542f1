; The frame follows the context's header, and the async function pointer publishes the used size: whole contexts, the
; maximum over functions that share a pointer. Fields are aligned at most as contexts are.
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %s -o - | FileCheck %s --implicit-check-not=llvm.coro
; RUN: sed 's/.pointer /%0 /' %s > %t.unnamed.ll
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %t.unnamed.ll -o - | FileCheck %t.unnamed.ll --implicit-check-not=llvm.coro
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK: @kept.fp = global <{ i32, i32 }> <{ i32 9, i32 80 }>
; CHECK: @none.fp = global %pointer <{ i32 8, i32 32 }>
; CHECK: @shared.fp = global <{ i32, i32 }> <{ i32 0, i32 48 }>
; CHECK: @copy.fp = constant <{ i32, i32 }> <{ i32 1, i32 80 }>
@kept.fp = global <{ i32, i32 }> <{ i32 9, i32 20 }>
%pointer = type <{ i32, i32 }>
@none.fp = global %pointer <{ i32 8, i32 0 }>
@shared.fp = global <{ i32, i32 }> zeroinitializer
@copy.fp = constant <{ i32, i32 }> <{ i32 1, i32 0 }>

; 20 bytes of header, up to 32; a vector of 32 bytes at 0, aligned to 16; 4 more bytes. No place for the context.
; CHECK-LABEL: define void @kept(ptr %context, <4 x double> %v, i32 %n)
; CHECK: %[[FRAME:.*]] = getelementptr inbounds i8, ptr %context, i64 32
; CHECK: store <4 x double> %v, ptr %[[FRAME]], align 16
; CHECK: %[[N:.*]] = getelementptr inbounds i8, ptr %[[FRAME]], i64 32
; CHECK: store i32 %n, ptr %[[N]], align 4
define void @kept(ptr %context, <4 x double> %v, i32 %n) presplitcoroutine {
  call void @llvm.coro.async.size.replace(ptr @copy.fp, ptr @kept.fp)
  %id = call token @llvm.coro.id.async(i32 20, i32 16, i32 0, ptr @kept.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %a = call ptr @llvm.coro.async.resume()
  %came = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %a, ptr @same, ptr @go, ptr %context, ptr %a)
  call void @use(<4 x double> %v, i32 %n, ptr %context)
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  unreachable
}
; CHECK-LABEL: define void @none(
; CHECK-NEXT: br label
; CHECK: ret void
define void @none(ptr %context) presplitcoroutine {
  %id = call token @llvm.coro.id.async(i32 24, i32 16, i32 0, ptr @none.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false)
  unreachable
}

define void @larger(ptr %context, i64 %n, i64 %m) presplitcoroutine {
  %id = call token @llvm.coro.id.async(i32 24, i32 16, i32 0, ptr @shared.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %a = call ptr @llvm.coro.async.resume()
  %came = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %a, ptr @same, ptr @go, ptr %context, ptr %a)
  call void @use.two(i64 %n, i64 %m)
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  unreachable
}
define void @smaller(ptr %context) presplitcoroutine {
  %id = call token @llvm.coro.id.async(i32 24, i32 16, i32 0, ptr @shared.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  unreachable
}


; CHECK-LABEL: define internal void @kept.resume.0(ptr %0)
; CHECK: getelementptr inbounds i8, ptr %0, i64 32
; CHECK-DAG: load <4 x double>, ptr %{{.*}}, align 16
; CHECK-DAG: call void @use(<4 x double> %{{.*}}, i32 %{{.*}}, ptr %0)

define ptr @same(ptr %context) {
  ret ptr %context
}
declare void @go(ptr, ptr)
declare void @use(<4 x double>, i32, ptr)
declare void @use.two(i64, i64)
declare token @llvm.coro.id.async(i32, i32, i32, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.async.resume()
declare void @llvm.coro.async.size.replace(ptr, ptr)
declare { ptr } @llvm.coro.suspend.async.sl_p0s(i32, ptr, ptr, ...)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.end.async(ptr, i1, ...)
