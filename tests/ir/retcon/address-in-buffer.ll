; A continuation that reloads an address of memory in the buffer must not have a noalias buffer: the address is not
; derived from its parameter. Otherwise gvn returns 8 for 4 + 5.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup,function(gvn)' 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: warning
; CHECK-LABEL: define internal { ptr, i32 } @f.resume.0(
; CHECK-NOT: noalias
; CHECK: store i32 5, ptr %p.reload
; CHECK: %[[SUM:.*]] = add i32
; CHECK: insertvalue {{.*}}, i32 %[[SUM]], 1

define { ptr, i32 } @f(ptr %buffer, i1 %c) presplitcoroutine {
entry:
  %x = alloca i32
  %y = alloca i32
  %id = call token @llvm.coro.id.retcon(i32 64, i32 16, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  store i32 1, ptr %x
  store i32 2, ptr %y
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %p = phi ptr [ %x, %entry ], [ %y, %a ]
  %s = call i1 (...) @llvm.coro.suspend.retcon.i1(i32 7)
  br i1 %s, label %out, label %go
go:
  store i32 4, ptr %x
  store i32 4, ptr %y
  store i32 5, ptr %p
  %v = load i32, ptr %x
  %w = load i32, ptr %y
  %sum = add i32 %v, %w
  %t = call i1 (...) @llvm.coro.suspend.retcon.i1(i32 %sum)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  unreachable
}
declare { ptr, i32 } @prototype(ptr, i1)
declare ptr @allocate(i32)
declare void @deallocate(ptr)
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare void @llvm.coro.end(ptr, i1, token)
