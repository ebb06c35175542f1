; In the dynamic ABI, memory that is live across a suspend comes from the caller's allocator: the ramp passes its own
; parameters (frame, allocator) to @allocate, a clone passes those of the continuation. Memory for the frame of a callee has
; functions of its own, and a type id is passed on.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %s | FileCheck %s

; CHECK: @f.cfp = global <{ i32, i32, i64 }> <{ i32 {{.*}}, i32 16, i64 7 }>

; CHECK-LABEL: define swiftcc { ptr, ptr } @f(
; CHECK: %[[MEMORY:.*]] = call swiftcc ptr @allocate(ptr %frame, ptr %allocator, i32 %{{.*}}, i64 0)
; CHECK: %[[CALLEE:.*]] = call swiftcc ptr @allocate.frame(ptr %frame, ptr %allocator, i32 %{{.*}}, i64 %id.of.type)
; CHECK: insertvalue { ptr, ptr } { ptr @f.resume.0, ptr poison }

; CHECK-LABEL: define internal swiftcc void @f.resume.0(
; CHECK-SAME: ptr {{.*}}%buffer, ptr %[[GIVEN:[0-9a-z]+]])
; CHECK: call swiftcc void @deallocate.frame(ptr %buffer, ptr %[[GIVEN]], ptr %{{.*}})
; CHECK: call swiftcc void @deallocate(ptr %buffer, ptr %[[GIVEN]], ptr %{{.*}})
; CHECK: ret void
; CHECK-NOT: @llvm.coro

@f.cfp = global <{ i32, i32, i64 }> <{ i32 trunc (i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr @f.cfp to i64)) to i32), i32 0, i64 7 }>

define swiftcc { ptr, ptr } @f(ptr noalias %frame, ptr %allocator, i32 %size, i64 %id.of.type) {
entry:
  %id = call token @llvm.coro.id.retcon.once.dynamic(i32 -1, i32 16, ptr @f.cfp, ptr %allocator, ptr %frame, ptr @prototype, ptr @allocate, ptr @deallocate, ptr @allocate.frame, ptr @deallocate.frame)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %a = call token @llvm.coro.alloca.alloc.i32(i32 %size, i32 8)
  %memory = call ptr @llvm.coro.alloca.get(token %a)
  %large = zext i32 %size to i64
  %b = call token @llvm.coro.alloca.alloc.frame.i64(i64 %large, i32 16, i64 %id.of.type)
  %callee = call ptr @llvm.coro.alloca.get(token %b)
  call void @use(ptr %memory)
  %again = call ptr (...) @llvm.coro.suspend.retcon.p0(ptr %callee)
  call void @use(ptr %callee)
  call void @llvm.coro.alloca.free.frame(token %b)
  call void @use(ptr %memory)
  call void @llvm.coro.alloca.free(token %a)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

declare swiftcc void @prototype(ptr noalias, ptr)
declare swiftcc ptr @allocate(ptr, ptr, i32, i64)
declare swiftcc void @deallocate(ptr, ptr, ptr)
declare swiftcc ptr @allocate.frame(ptr, ptr, i32, i64)
declare swiftcc void @deallocate.frame(ptr, ptr, ptr)
declare void @use(ptr)
declare token @llvm.coro.id.retcon.once.dynamic(i32, i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.suspend.retcon.p0(...)
declare token @llvm.coro.alloca.alloc.i32(i32, i32)
declare token @llvm.coro.alloca.alloc.frame.i64(i64, i32, i64)
declare ptr @llvm.coro.alloca.get(token)
declare void @llvm.coro.alloca.free(token)
declare void @llvm.coro.alloca.free.frame(token)
