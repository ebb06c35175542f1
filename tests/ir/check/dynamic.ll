; The dynamic ABI: memory for the frame of a callee has an allocator of its own, and a caller may pass no allocator.
; This is the text that pycoro upgrade writes.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split)' 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: the lowering is not checked
; CHECK-LABEL: define swiftcc { ptr, ptr } @callee_frame(
; CHECK: call swiftcc ptr @allocate(
; CHECK: call swiftcc ptr @allocate.frame(
; CHECK-LABEL: define swiftcc { ptr, ptr } @no_allocator(
; CHECK: call ptr @no_allocator.allocate(
@callee_frame.cfp = global <{ i32, i32 }> <{ i32 trunc (i64 sub (i64 ptrtoint (ptr @callee_frame to i64), i64 ptrtoint (ptr @callee_frame.cfp to i64)) to i32), i32 0 }>
@no_allocator.cfp = global <{ i32, i32 }> <{ i32 trunc (i64 sub (i64 ptrtoint (ptr @no_allocator to i64), i64 ptrtoint (ptr @no_allocator.cfp to i64)) to i32), i32 0 }>

define swiftcc { ptr, ptr } @callee_frame(ptr noalias %frame, ptr %allocator, i64 %size, i32 %type) presplitcoroutine {
entry:
  %id = call token (...) @llvm.coro.id.retcon.once.dynamic(i32 -1, i32 16, ptr @callee_frame.cfp, ptr %allocator, ptr %frame, ptr @prototype, ptr @allocate, ptr @deallocate, ptr @allocate.frame, ptr @deallocate.frame)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %a = call token @llvm.coro.alloca.alloc.i64(i64 %size, i32 8)
  %memory = call ptr @llvm.coro.alloca.get(token %a)
  %b = call token @llvm.coro.alloca.alloc.i64(i64 %size, i32 32) "coro-callee-frame" [ "coro-type-id"(i32 %type) ]
  %callee = call ptr @llvm.coro.alloca.get(token %b)
  call void @use(ptr %memory)
  %again = call ptr (...) @llvm.coro.suspend.retcon.p0(ptr %callee)
  call void @use(ptr %callee)
  call void @llvm.coro.alloca.free(token %b)
  call void @use(ptr %memory)
  call void @llvm.coro.alloca.free(token %a)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

define swiftcc { ptr, ptr } @no_allocator(ptr noalias %frame, ptr %allocator, i64 %size) presplitcoroutine "swiftcorocc" {
entry:
  %id = call token (...) @llvm.coro.id.retcon.once.dynamic(i32 -1, i32 16, ptr @no_allocator.cfp, ptr %allocator, ptr %frame, ptr @prototype, ptr @allocate, ptr @deallocate)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %a = call token @llvm.coro.alloca.alloc.i64(i64 %size, i32 8)
  %memory = call ptr @llvm.coro.alloca.get(token %a)
  call void @use(ptr %memory)
  %again = call ptr (...) @llvm.coro.suspend.retcon.p0(ptr %memory)
  call void @use(ptr %memory)
  call void @llvm.coro.alloca.free(token %a)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

declare swiftcc void @prototype(ptr noalias, ptr)
declare swiftcc ptr @allocate(ptr, ptr, i64, i64)
declare swiftcc void @deallocate(ptr, ptr, ptr)
declare swiftcc ptr @allocate.frame(ptr, i64, i64)
declare swiftcc void @deallocate.frame(ptr, ptr)
declare void @use(ptr)
declare token @llvm.coro.id.retcon.once.dynamic(...)
declare ptr @llvm.coro.begin(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.suspend.retcon.p0(...)
declare token @llvm.coro.alloca.alloc.i64(i64, i32)
declare ptr @llvm.coro.alloca.get(token)
declare void @llvm.coro.alloca.free(token)
