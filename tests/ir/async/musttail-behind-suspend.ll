; A musttail call in the input after a suspend ends a continuation, which has the coroutine's calling convention: any
; type if the callee pops its arguments, otherwise the continuation's. A call that cannot stay musttail is rejected.
; RUN: split-file %s %t
; RUN: pycoro opt %t/kept.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s --check-prefix=KEPT
; RUN: not pycoro opt %t/differs.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=DIFFERS
; UNSUPPORTED: reference

; KEPT-LABEL: define internal swifttailcc void @pops.resume.0(
; KEPT: musttail call swifttailcc void @next.pops(ptr swiftasync %0, ptr %{{.*}})
; KEPT-NEXT: ret void
; KEPT-LABEL: define internal void @alike.resume.0(
; KEPT: musttail call void @next.alike(ptr %0)
; KEPT-NEXT: ret void
; DIFFERS-NOT: define
; DIFFERS: after a suspend a musttail call would end a clone
; DIFFERS: @differs, %0: musttail call void @next.differs(ptr %context, ptr %place)

;--- kept.ll
define swifttailcc void @pops(ptr swiftasync %context, ptr %place) presplitcoroutine {
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @pops.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %back = call ptr @llvm.coro.async.resume()
  %came = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %back, ptr @same, ptr @pops.leave, ptr %context)
  musttail call swifttailcc void @next.pops(ptr swiftasync %context, ptr %place)
  ret void
}

define internal swifttailcc void @pops.leave(ptr %context) {
  ret void
}

declare swifttailcc void @next.pops(ptr swiftasync, ptr)
@pops.fp = constant <{ i32, i32 }> <{ i32 0, i32 16 }>

define void @alike(ptr %context) presplitcoroutine {
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @alike.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %back = call ptr @llvm.coro.async.resume()
  %came = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %back, ptr @same, ptr @alike.leave, ptr %context)
  musttail call void @next.alike(ptr %context)
  ret void
}

define internal void @alike.leave(ptr %context) {
  ret void
}

declare void @next.alike(ptr)
@alike.fp = constant <{ i32, i32 }> <{ i32 0, i32 16 }>

define internal ptr @same(ptr %context) {
  ret ptr %context
}
declare token @llvm.coro.id.async(i32, i32, i32, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.async.resume()
declare { ptr } @llvm.coro.suspend.async.sl_p0s(i32, ptr, ptr, ...)

;--- differs.ll
define void @differs(ptr %context, ptr %place) presplitcoroutine {
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @differs.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %back = call ptr @llvm.coro.async.resume()
  %came = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %back, ptr @same, ptr @differs.leave, ptr %context)
  musttail call void @next.differs(ptr %context, ptr %place)
  ret void
}

define internal void @differs.leave(ptr %context) {
  ret void
}

declare void @next.differs(ptr, ptr)
@differs.fp = constant <{ i32, i32 }> <{ i32 0, i32 16 }>

define internal ptr @same(ptr %context) {
  ret ptr %context
}
declare token @llvm.coro.id.async(i32, i32, i32, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.async.resume()
declare { ptr } @llvm.coro.suspend.async.sl_p0s(i32, ptr, ptr, ...)
