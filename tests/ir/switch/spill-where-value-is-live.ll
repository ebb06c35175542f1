; %v is computed where control may have suspended before, so that its spill is deferred to the next suspends. At %s2 it is
; not live: there its bytes of the frame hold %a.
; RUN: pycoro opt -S -check-lowering -passes='coro-early,coro-split<reuse-storage>,coro-cleanup' %s -o %t.ll
; RUN: lli-22 %t.ll | FileCheck %s
; UNSUPPORTED: reference

; CHECK: 41
; CHECK-NEXT: 7
; CHECK-NEXT: 43

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
@fmt = private constant [4 x i8] c"%d\0A\00"
@cnt = global i32 40
define i32 @next() noinline {
  %c = load i32, ptr @cnt
  %d = add i32 %c, 1
  store i32 %d, ptr @cnt
  ret i32 %d
}
define void @use(i32 %v) noinline {
  %r = call i32 (ptr, ...) @printf(ptr @fmt, i32 %v)
  ret void
}
define ptr @f(i1 %suspends, i1 %uses.v) presplitcoroutine {
entry:
  %a = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br i1 %suspends, label %first, label %joined
first:
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  br label %joined
joined:
  %sel = phi i8 [ %s0, %first ], [ 0, %entry ]
  %v = call i32 @next()
  switch i8 %sel, label %exit [ i8 0, label %go
                                i8 1, label %cleanup ]
go:
  br i1 %uses.v, label %with.v, label %with.a
with.v:
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %exit [ i8 0, label %print.v
                               i8 1, label %cleanup ]
print.v:
  call void @use(i32 %v)
  br label %cleanup
with.a:
  store i32 7, ptr %a
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %exit [ i8 0, label %print.a
                               i8 1, label %cleanup ]
print.a:
  %w = load i32, ptr %a
  call void @use(i32 %w)
  br label %cleanup
cleanup:
  %fm = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %fm)
  br label %exit
exit:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}
define i32 @main() {
  %h = call ptr @f(i1 false, i1 true)
  call void @llvm.coro.resume(ptr %h)
  %h1 = call ptr @f(i1 false, i1 false)
  call void @llvm.coro.resume(ptr %h1)
  %h2 = call ptr @f(i1 false, i1 true)
  call void @llvm.coro.resume(ptr %h2)
  ret i32 0
}
