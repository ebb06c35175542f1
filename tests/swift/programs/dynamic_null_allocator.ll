; Swift's convention swiftcorocc with a null allocator, as synchronous callers pass it: the memory of the callee comes from malloc.
; prints: 5 6 7
; prints: 5 60 7
; prints: live 0
@f.pointer = global <{ i32, i32 }> <{ i32 trunc (i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr @f.pointer to i64)) to i32), i32 0 }>
declare token @llvm.coro.id.retcon.once.dynamic(i32, i32, ptr, ptr, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.suspend.retcon.p0(...)
declare token @llvm.coro.alloca.alloc.i64(i64, i32)
declare ptr @llvm.coro.alloca.get(token)
declare void @llvm.coro.alloca.free(token)
declare void @llvm.ret.popless()
declare swiftcorocc void @prototype(ptr noalias, ptr swiftcoro)

define internal swiftcorocc ptr @allocate(ptr %frame, ptr swiftcoro %allocator, i64 %size) noinline {
entry:
  %none = icmp eq ptr %allocator, null
  br i1 %none, label %popless, label %normal
popless:
  %memory = alloca i8, i64 %size, align 16
  musttail call void @llvm.ret.popless()
  ret ptr %memory
normal:
  %function = load ptr, ptr %allocator
  %result = call swiftcc ptr %function(ptr %frame, ptr swiftcoro %allocator, i64 %size)
  ret ptr %result
}
define internal void @deallocate(ptr %frame, ptr swiftcoro %allocator, ptr %memory) noinline {
  ret void
}

define swiftcorocc { ptr, ptr } @f(ptr noalias %frame, ptr swiftcoro %allocator, ptr %values, i64 %count) noinline {
entry:
  %id = call token @llvm.coro.id.retcon.once.dynamic(i32 -1, i32 16, ptr @f.pointer, ptr %allocator, ptr %frame, ptr @prototype, ptr @allocate, ptr @deallocate)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %size = mul i64 %count, 8
  %memory = call token @llvm.coro.alloca.alloc.i64(i64 %size, i32 8)
  %copy = call ptr @llvm.coro.alloca.get(token %memory)
  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %values, i64 %size, i1 false)
  call void @show_all(ptr %copy, i64 %count)
  %1 = call ptr (...) @llvm.coro.suspend.retcon.p0(ptr %copy)
  call void @show_all(ptr %copy, i64 %count)
  call void @llvm.coro.alloca.free(token %memory)
  %2 = call i1 @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

define void @drive() {
  %values = alloca [3 x i64]
  store [3 x i64] [i64 5, i64 6, i64 7], ptr %values
  %size = load i32, ptr getelementptr (i8, ptr @f.pointer, i64 4)
  %bytes = zext i32 %size to i64
  %frame = alloca i8, i64 %bytes, align 16
  call void @llvm.lifetime.start.p0(ptr %frame)
  %ramp = call ptr @llvm.coro.prepare.retcon(ptr @f)
  %given = call swiftcorocc { ptr, ptr } %ramp(ptr noalias %frame, ptr swiftcoro null, ptr %values, i64 3)
  %next = extractvalue { ptr, ptr } %given, 0
  %at = extractvalue { ptr, ptr } %given, 1
  %at1 = getelementptr i64, ptr %at, i64 1
  store i64 60, ptr %at1
  call swiftcorocc void %next(ptr noalias %frame, ptr swiftcoro null)
  call void @llvm.lifetime.end.p0(ptr %frame)
  ret void
}
