; The id of the dynamic ABI may have a type id as its last operand. The allocator gets it for memory without a type id.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %s | FileCheck %s

; CHECK-LABEL: define swiftcc { ptr, ptr } @f(
; CHECK: call swiftcc ptr @allocate(ptr %allocator, i32 %{{.*}}, i64 41)
; CHECK: call swiftcc ptr @allocate(ptr %allocator, i32 %{{.*}}, i64 42)
; CHECK-LABEL: define internal swiftcc void @f.resume.0(

@f.cfp = global <{ i32, i32 }> <{ i32 trunc (i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr @f.cfp to i64)) to i32), i32 0 }>

define swiftcc { ptr, ptr } @f(ptr noalias %frame, ptr %allocator, i32 %size) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.retcon.once.dynamic(i32 -1, i32 16, ptr @f.cfp, ptr %allocator, ptr %frame, ptr @prototype, ptr @allocate, ptr @deallocate, i64 41)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %a = call token @llvm.coro.alloca.alloc.i32(i32 %size, i32 8)
  %memory = call ptr @llvm.coro.alloca.get(token %a)
  %b = call token @llvm.coro.alloca.alloc.i32(i32 %size, i32 8) [ "coro-type-id"(i64 42) ]
  %other = call ptr @llvm.coro.alloca.get(token %b)
  %again = call ptr (...) @llvm.coro.suspend.retcon.p0(ptr %memory)
  call void @use(ptr %other)
  call void @llvm.coro.alloca.free(token %b)
  call void @use(ptr %memory)
  call void @llvm.coro.alloca.free(token %a)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

declare swiftcc void @prototype(ptr noalias, ptr)
declare swiftcc ptr @allocate(ptr, i32, i64)
declare swiftcc void @deallocate(ptr, ptr)
declare void @use(ptr)
declare token @llvm.coro.id.retcon.once.dynamic(i32, i32, ptr, ptr, ptr, ptr, ptr, ptr, i64)
declare ptr @llvm.coro.begin(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.suspend.retcon.p0(...)
declare token @llvm.coro.alloca.alloc.i32(i32, i32)
declare ptr @llvm.coro.alloca.get(token)
declare void @llvm.coro.alloca.free(token)
