; One coroutine with both an alloca of dynamic size, whose blocks are in a list, and memory from its allocator.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split)' 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: the lowering is not checked
; CHECK-LABEL: define ptr @f(
; CHECK-DAG: call ptr @malloc(
; CHECK-DAG: call ptr @allocate(
; CHECK-LABEL: define internal ptr @f.resume.0(
; CHECK-DAG: call void @deallocate(
; CHECK-DAG: call void @f.release(
define ptr @f(ptr %buffer, i64 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.retcon(i32 64, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %many = alloca i32, i64 %n
  %token = call token @llvm.coro.alloca.alloc.i64(i64 %n, i32 64)
  %memory = call ptr @llvm.coro.alloca.get(token %token)
  call void @use(ptr %many, ptr %memory)
  %s = call i1 (...) @llvm.coro.suspend.retcon.i1()
  call void @use(ptr %many, ptr %memory)
  call void @llvm.coro.alloca.free(token %token)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

declare ptr @prototype(ptr, i1)
declare ptr @allocate(i64)
declare void @deallocate(ptr)
declare void @use(ptr, ptr)
