; A yield-once accessor with the caller's frame, called from C; the vector and the allocation are live across the yield.
; prints: 45
; prints: 10 2 3
; prints: 45
; prints: 10 11 3
; prints: 0
; prints: live 0
@accessor_pointer = global <{ i32, i32 }> <{ i32 trunc (i64 sub (i64 ptrtoint (ptr @accessor to i64), i64 ptrtoint (ptr @accessor_pointer to i64)) to i32), i32 0 }>
declare token @llvm.coro.id.retcon.once.dynamic(i32, i32, ptr, ptr, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.suspend.retcon.p0(...)
declare token @llvm.coro.alloca.alloc.i64(i64, i32)
declare ptr @llvm.coro.alloca.get(token)
declare void @llvm.coro.alloca.free(token)
declare i64 @llvm.vector.reduce.add.v8i64(<8 x i64>)
declare swiftcc void @prototype(ptr noalias, ptr)
declare ptr @dynamic_alloc(ptr, ptr, i64)
declare void @dynamic_free(ptr, ptr, ptr)

define swiftcc { ptr, ptr } @accessor(ptr noalias %frame, ptr %allocator, ptr %values, i64 %count) {
entry:
  %id = call token @llvm.coro.id.retcon.once.dynamic(i32 -1, i32 16, ptr @accessor_pointer, ptr %allocator, ptr %frame, ptr @prototype, ptr @dynamic_alloc, ptr @dynamic_free)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %one = call i64 @opaque(i64 1)
  %first = insertelement <8 x i64> <i64 0, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 17>, i64 %one, i32 0
  %aligned = alloca <8 x i64>, align 64
  store <8 x i64> %first, ptr %aligned, align 64
  %size = mul i64 %count, 8
  %memory = call token @llvm.coro.alloca.alloc.i64(i64 %size, i32 64)
  %copy = call ptr @llvm.coro.alloca.get(token %memory)
  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %values, i64 %size, i1 false)
  %1 = call ptr (...) @llvm.coro.suspend.retcon.p0(ptr %copy)
  call void @llvm.memcpy.p0.p0.i64(ptr %values, ptr %copy, i64 %size, i1 false)
  call void @llvm.coro.alloca.free(token %memory)
  %again = load <8 x i64>, ptr %aligned, align 64
  %both = add <8 x i64> %again, %first
  %half = lshr <8 x i64> %both, splat (i64 1)
  %sum = call i64 @llvm.vector.reduce.add.v8i64(<8 x i64> %half)
  call void @show(i64 %sum)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}
