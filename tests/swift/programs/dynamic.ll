; Yield-once with the caller's frame: one accessor calls another, whose frame and a temporary come from the caller's allocator.
; prints: 1 2 3
; prints: 2
; prints: 1 99 3
; prints: 0
; prints: live 0
@inner.pointer = global <{ i32, i32 }> <{ i32 trunc (i64 sub (i64 ptrtoint (ptr @inner to i64), i64 ptrtoint (ptr @inner.pointer to i64)) to i32), i32 0 }>
@outer.pointer = global <{ i32, i32 }> <{ i32 trunc (i64 sub (i64 ptrtoint (ptr @outer to i64), i64 ptrtoint (ptr @outer.pointer to i64)) to i32), i32 0 }>
declare token @llvm.coro.id.retcon.once.dynamic(i32, i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.suspend.retcon.p0(...)
declare token @llvm.coro.alloca.alloc.i64(i64, i32)
declare token @llvm.coro.alloca.alloc.frame.i64(i64, i32)
declare ptr @llvm.coro.alloca.get(token)
declare void @llvm.coro.alloca.free(token)
declare void @llvm.coro.alloca.free.frame(token)
declare swiftcc void @prototype(ptr noalias, ptr)
declare ptr @dynamic_alloc(ptr, ptr, i64)
declare void @dynamic_free(ptr, ptr, ptr)

define swiftcc { ptr, ptr } @inner(ptr noalias %frame, ptr %allocator, ptr swiftself %self, i64 %count) noinline {
entry:
  %id = call token @llvm.coro.id.retcon.once.dynamic(i32 -1, i32 16, ptr @inner.pointer, ptr %allocator, ptr %frame, ptr @prototype, ptr @dynamic_alloc, ptr @dynamic_free, ptr @dynamic_alloc, ptr @dynamic_free)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %size = mul i64 %count, 8
  %memory = call token @llvm.coro.alloca.alloc.i64(i64 %size, i32 8)
  %copy = call ptr @llvm.coro.alloca.get(token %memory)
  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %self, i64 %size, i1 false)
  %1 = call ptr (...) @llvm.coro.suspend.retcon.p0(ptr %copy)
  br i1 false, label %unwind, label %normal
normal:
  call void @llvm.memcpy.p0.p0.i64(ptr %self, ptr %copy, i64 %size, i1 false)
  br label %end
unwind:
  br label %end
end:
  call void @llvm.coro.alloca.free(token %memory)
  %2 = call i1 @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

define swiftcc { ptr, ptr } @outer(ptr noalias %frame, ptr %allocator, ptr swiftself %self, i64 %count) noinline {
entry:
  %id = call token @llvm.coro.id.retcon.once.dynamic(i32 -1, i32 16, ptr @outer.pointer, ptr %allocator, ptr %frame, ptr @prototype, ptr @dynamic_alloc, ptr @dynamic_free, ptr @dynamic_alloc, ptr @dynamic_free)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  call void @show_all(ptr %self, i64 %count)
  %bytes = load i32, ptr getelementptr inbounds (i8, ptr @inner.pointer, i64 4)
  %wide = zext i32 %bytes to i64
  %memory = call token @llvm.coro.alloca.alloc.frame.i64(i64 %wide, i32 16)
  %callee = call ptr @llvm.coro.alloca.get(token %memory)
  %ramp = call ptr @llvm.coro.prepare.retcon(ptr @inner)
  %given = call swiftcc { ptr, ptr } %ramp(ptr noalias %callee, ptr %allocator, ptr swiftself %self, i64 %count)
  %next = extractvalue { ptr, ptr } %given, 0
  %at = extractvalue { ptr, ptr } %given, 1
  %later = call ptr (...) @llvm.coro.suspend.retcon.p0(ptr %at)
  call swiftcc void %next(ptr noalias %callee, ptr %later)
  call void @llvm.coro.alloca.free.frame(token %memory)
  %1 = call i1 @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

define void @drive() {
  %values = alloca [3 x i64]
  store [3 x i64] [i64 1, i64 2, i64 3], ptr %values
  %allocator = alloca i64
  store i64 0, ptr %allocator
  %size = load i32, ptr getelementptr (i8, ptr @outer.pointer, i64 4)
  %bytes = zext i32 %size to i64
  %frame = call ptr @task_alloc(i64 %bytes)
  %ramp = call ptr @llvm.coro.prepare.retcon(ptr @outer)
  %given = call swiftcc { ptr, ptr } %ramp(ptr noalias %frame, ptr %allocator, ptr swiftself %values, i64 3)
  %next = extractvalue { ptr, ptr } %given, 0
  %at = extractvalue { ptr, ptr } %given, 1
  %at1 = getelementptr i64, ptr %at, i64 1
  %held = load i64, ptr %allocator
  call void @show(i64 %held)
  store i64 99, ptr %at1
  call swiftcc void %next(ptr noalias %frame, ptr %allocator)
  call void @show_all(ptr %values, i64 3)
  %left = load i64, ptr %allocator
  call void @show(i64 %left)
  call void @task_dealloc(ptr %frame)
  ret void
}
