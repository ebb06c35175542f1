; Without coroutine intrinsics after coro-early, creation sites are not searched for.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='default<O2>' %s | FileCheck %s
; RUN: pycoro opt -S -passes='coro-early,cgscc(inline,function(sroa,early-cse,simplifycfg,instcombine,gvn),coro-split,coro-elide),coro-cleanup' %s | FileCheck %s
; CHECK-LABEL: define i1 @is_done(
; CHECK: icmp eq ptr
define i1 @is_done(ptr %handle) {
  %done = call i1 @llvm.coro.done(ptr %handle)
  ret i1 %done
}

declare i1 @llvm.coro.done(ptr)
