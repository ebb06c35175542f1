; Code after one suspend is checked for that continuation only; another suspend's continuation does not reach it.
; RUN: pycoro opt %s -S -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s

; CHECK-LABEL: define {{.*}}@f.resume.1(ptr
; CHECK: musttail call void @cont(ptr
; CHECK-NEXT: ret void

target triple = "x86_64-unknown-linux-gnu"
%async.actor = type { i64 }
%async.fp = type <{ i32, i32 }>
@fp = constant <{ i32, i32 }> <{ i32 trunc (i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr @fp to i64)) to i32), i32 128 }>
declare void @cont(ptr)
declare ptr @proj(ptr)
define void @go(ptr %fnp, ptr %ctx) { tail call void %fnp(ptr %ctx)
 ret void }
define void @go2(ptr %fnp, ptr %ctx) { tail call void %fnp(ptr %ctx, i64 1)
 ret void }
define void @f(ptr %ctx) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.async(i32 128, i32 16, i32 0, ptr @fp)
  %h = call ptr @llvm.coro.begin(token %id, ptr null)
  %r1 = call ptr @llvm.coro.async.resume()
  %s1 = call {ptr, i64} (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0i64s(i32 0, ptr %r1, ptr @proj, ptr @go2, ptr %r1, ptr %ctx)
  %r2 = call ptr @llvm.coro.async.resume()
  %s2 = call {ptr} (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %r2, ptr @proj, ptr @go, ptr %r2, ptr %ctx)
  %n = extractvalue {ptr} %s2, 0
  %c = icmp eq ptr %n, null
  br i1 %c, label %a, label %b
a:
  musttail call void @cont(ptr %n)
  ret void
b:
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %h, i1 false)
  unreachable
}
