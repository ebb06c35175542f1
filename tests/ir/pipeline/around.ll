; LLVM's passes run in order with pycoro's, within their groups: a cgscc(...) first processes functions that call no
; coroutine still to be split, then changed and waiting ones. coro-elide among them waits for the passes after it.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,cgscc(inline,coro-split,function(sroa,coro-elide,simplifycfg)),coro-cleanup,globaldce' %s -o %t.ll -print-after-all 2> %t.order
; RUN: FileCheck %s < %t.ll
; RUN: grep 'IR Dump After' %t.order | FileCheck %s --check-prefix=ORDER

; ORDER: CoroEarlyPass on [module]
; ORDER-NEXT: cgscc(inline) on [module]
; ORDER-NEXT: CoroSplitPass on f
; ORDER-NEXT: cgscc(function(sroa,simplifycfg)) on [module]
; ORDER-NEXT: CoroElidePass
; ORDER-NEXT: cgscc(inline) on [module]
; ORDER-NEXT: CoroSplitPass on [module]
; ORDER-NEXT: cgscc(function(sroa,simplifycfg)) on [module]
; ORDER-NEXT: CoroElidePass
; ORDER-NEXT: CoroCleanupPass on [module]
; ORDER-NEXT: globaldce on [module]
; ORDER-NOT: IR Dump

; CHECK-NOT: llvm.coro
; CHECK-NOT: @unused
define internal void @unused() {
  ret void
}

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [i8 0, label %resume
                            i8 1, label %destroy]
resume:
  call void @print(i32 %n)
  br label %destroy
destroy:
  %free = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %free)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

declare ptr @malloc(i64)
declare void @free(ptr)
declare void @print(i32)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
