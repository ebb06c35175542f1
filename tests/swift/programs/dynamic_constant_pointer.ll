; A yield-once accessor with the caller's frame, called from C; its coroutine function pointer is a constant that reserves 64 bytes.
; prints: 42
; prints: 42
; prints: 0
; prints: live 0
@accessor_pointer = constant <{ i32, i32 }> <{ i32 trunc (i64 sub (i64 ptrtoint (ptr @accessor to i64), i64 ptrtoint (ptr getelementptr inbounds (<{ i32, i32 }>, ptr @accessor_pointer, i32 0, i32 1) to i64)) to i32), i32 64 }>

define { ptr, i32 } @accessor(ptr %frame, ptr %allocator, ptr %values) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.retcon.once.dynamic(i32 -1, i32 16, ptr @accessor_pointer, ptr %allocator, ptr %frame, ptr @continuation, ptr nonnull @dynamic_alloc, ptr nonnull @dynamic_free)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %value = load i32, ptr %values
  %unused = call i1 (...) @llvm.coro.suspend.retcon.i1(i32 %value)
  store i32 0, ptr %values
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

declare void @continuation(ptr, ptr)
declare noalias ptr @dynamic_alloc(ptr, ptr, i64)
declare void @dynamic_free(ptr, ptr, ptr)
declare token @llvm.coro.id.retcon.once.dynamic(i32, i32, ptr, ptr, ptr, ptr, ptr, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
