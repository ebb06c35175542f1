; The allocator takes sizes in integers that are narrower than a pointer. The sum of size and padding may wrap, so that
; the answer is that such an allocation is not supported. A size without padding is proved, also if it was extended from
; an integer as wide as the allocator's.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split)' -o /dev/null 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: warning
; CHECK: narrow-size.ll:[[# @LINE + 3]]:1: warning: the lowering is not checked: the size of an allocation in an integer that is narrower than a pointer
; CHECK-NEXT: @padded
; CHECK-NOT: warning
define ptr @padded(ptr %buffer, i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.retcon(i32 32, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %token = call token @llvm.coro.alloca.alloc.i32(i32 %n, i32 64)
  %memory = call ptr @llvm.coro.alloca.get(token %token)
  call void @use(ptr %memory)
  %s = call i1 (...) @llvm.coro.suspend.retcon.i1()
  call void @use(ptr %memory)
  call void @llvm.coro.alloca.free(token %token)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

define ptr @plain(ptr %buffer, i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.retcon(i32 32, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %token = call token @llvm.coro.alloca.alloc.i32(i32 %n, i32 8)
  %memory = call ptr @llvm.coro.alloca.get(token %token)
  call void @use(ptr %memory)
  %s = call i1 (...) @llvm.coro.suspend.retcon.i1()
  call void @use(ptr %memory)
  call void @llvm.coro.alloca.free(token %token)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

define ptr @extended(ptr %buffer, i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.retcon(i32 32, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %bytes = zext i32 %n to i64
  %token = call token @llvm.coro.alloca.alloc.i64(i64 %bytes, i32 8)
  %memory = call ptr @llvm.coro.alloca.get(token %token)
  call void @use(ptr %memory)
  %s = call i1 (...) @llvm.coro.suspend.retcon.i1()
  call void @use(ptr %memory)
  call void @llvm.coro.alloca.free(token %token)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

declare ptr @prototype(ptr, i1)
declare ptr @allocate(i32)
declare void @deallocate(ptr)
declare void @use(ptr)
