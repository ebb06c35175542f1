; A yield-once accessor in swiftcorocc with a typed allocator, called with a null allocator, and by an accessor with a fixed buffer.
; prints: 42
; prints: type 9
; prints: 43
; prints: live 0
%swift.coro_func_pointer = type <{ i32, i32, i64 }>
%swift.coro_allocator = type { i32, ptr, ptr }
@i = global i64 41
@modify.cfp = global %swift.coro_func_pointer <{ i32 trunc (i64 sub (i64 ptrtoint (ptr @modify to i64), i64 ptrtoint (ptr @modify.cfp to i64)) to i32), i32 0, i64 1234 }>
@malloc_allocator = linkonce_odr hidden constant %swift.coro_allocator { i32 259, ptr @coro_typed_malloc, ptr @coro_free }
declare token @llvm.coro.id.retcon.once.dynamic(i32, i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ...)
declare token @llvm.coro.id.retcon.once(i32, i32, ptr, ptr, ptr, ptr, ...)
declare ptr @llvm.coro.suspend.retcon.p0(...)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare token @llvm.coro.alloca.alloc.frame.i64(i64, i32, ...)
declare ptr @llvm.coro.alloca.get(token)
declare void @llvm.coro.alloca.free.frame(token)
declare void @llvm.ret.popless()
declare ptr @swift_coroFrameAlloc(i64, i64)
declare swiftcorocc void @prototype2(ptr noalias, ptr swiftcoro)
declare swiftcc void @prototype(ptr noalias dereferenceable(32), i1)

define linkonce_odr hidden swiftcc ptr @coro_typed_malloc(ptr %frame, ptr swiftcoro %allocator, i64 %size, i64 %type) {
  %p = call ptr @my_alloc(i64 %size)
  ret ptr %p
}
define linkonce_odr hidden swiftcc void @coro_free(ptr %frame, ptr swiftcoro %allocator, ptr %p) {
  call void @my_free(ptr %p)
  ret void
}
define linkonce_odr hidden swiftcorocc ptr @_swift_coro_alloc(ptr %frame, ptr swiftcoro %allocator, i64 %size, i64 %type) noinline {
entry:
  %0 = icmp eq ptr %allocator, null
  br i1 %0, label %popless, label %normal
popless:
  %1 = alloca i8, i64 %size, align 16
  musttail call void @llvm.ret.popless()
  ret ptr %1
normal:
  %2 = getelementptr inbounds %swift.coro_allocator, ptr %allocator, i32 0, i32 1
  %3 = load ptr, ptr %2
  %4 = call swiftcc ptr %3(ptr %frame, ptr swiftcoro %allocator, i64 %size, i64 %type)
  ret ptr %4
}
define linkonce_odr hidden void @_swift_coro_dealloc(ptr %frame, ptr swiftcoro %allocator, ptr %address) noinline {
entry:
  %0 = icmp eq ptr %allocator, null
  br i1 %0, label %null_allocator, label %nonnull_allocator
null_allocator:
  ret void
nonnull_allocator:
  %1 = getelementptr inbounds %swift.coro_allocator, ptr %allocator, i32 0, i32 2
  %2 = load ptr, ptr %1
  call swiftcc void %2(ptr %frame, ptr swiftcoro %allocator, ptr %address)
  ret void
}
define swiftcorocc { ptr, ptr } @modify(ptr noalias %0, ptr swiftcoro %1) {
entry:
  %2 = call token (i32, i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ...) @llvm.coro.id.retcon.once.dynamic(i32 -1, i32 16, ptr @modify.cfp, ptr %1, ptr %0, ptr @prototype2, ptr @_swift_coro_alloc, ptr @_swift_coro_dealloc, ptr @_swift_coro_alloc, ptr @_swift_coro_dealloc, i64 1234)
  %3 = call ptr @llvm.coro.begin(token %2, ptr null)
  %4 = call ptr (...) @llvm.coro.suspend.retcon.p0(ptr @i)
  br i1 false, label %6, label %5
5:
  br label %coro.end
6:
  br label %coro.end
coro.end:
  %7 = call i1 @llvm.coro.end(ptr %3, i1 false, token none)
  unreachable
}
define swiftcc { ptr, ptr } @increment_i_yield_once(ptr noalias dereferenceable(32) %0) {
entry:
  %nothing = alloca [9 x i64]
  %1 = call token (i32, i32, ptr, ptr, ptr, ptr, ...) @llvm.coro.id.retcon.once(i32 32, i32 8, ptr %0, ptr @prototype, ptr @swift_coroFrameAlloc, ptr @my_free, i64 7)
  %2 = call ptr @llvm.coro.begin(token %1, ptr null)
  %3 = load i32, ptr getelementptr inbounds (%swift.coro_func_pointer, ptr @modify.cfp, i32 0, i32 1)
  %4 = load i64, ptr getelementptr inbounds (%swift.coro_func_pointer, ptr @modify.cfp, i32 0, i32 2)
  %5 = zext i32 %3 to i64
  %t9 = sub i64 %4, 1225
  %6 = call token (i64, i32, ...) @llvm.coro.alloca.alloc.frame.i64(i64 %5, i32 16, i64 %t9)
  %7 = call ptr @llvm.coro.alloca.get(token %6)
  %8 = call ptr @llvm.coro.prepare.retcon(ptr @modify)
  %9 = call swiftcorocc { ptr, ptr } %8(ptr noalias %7, ptr swiftcoro @malloc_allocator)
  %10 = extractvalue { ptr, ptr } %9, 0
  %11 = extractvalue { ptr, ptr } %9, 1
  %12 = call i1 (...) @llvm.coro.suspend.retcon.i1(ptr %11)
  call swiftcorocc void %10(ptr noalias %7, ptr swiftcoro @malloc_allocator)
  call void @llvm.coro.alloca.free.frame(token %6)
  %13 = call i1 @llvm.coro.end(ptr %2, i1 false, token none)
  unreachable
}
define void @drive() {
  %b = load i32, ptr getelementptr inbounds (%swift.coro_func_pointer, ptr @modify.cfp, i32 0, i32 1)
  %w = zext i32 %b to i64
  %frame = alloca i8, i64 %w, align 16
  %ramp = call ptr @llvm.coro.prepare.retcon(ptr @modify)
  %g = call swiftcorocc { ptr, ptr } %ramp(ptr noalias %frame, ptr swiftcoro null)
  %k = extractvalue { ptr, ptr } %g, 0
  %y = extractvalue { ptr, ptr } %g, 1
  %v = load i64, ptr %y
  %n = add i64 %v, 1
  store i64 %n, ptr %y
  call swiftcorocc void %k(ptr noalias %frame, ptr swiftcoro null)
  %s = load i64, ptr @i
  call void @show(i64 %s)
  %buffer = alloca [32 x i8], align 8
  %ramp2 = call ptr @llvm.coro.prepare.retcon(ptr @increment_i_yield_once)
  %g2 = call swiftcc { ptr, ptr } %ramp2(ptr noalias dereferenceable(32) %buffer)
  %k2 = extractvalue { ptr, ptr } %g2, 0
  %y2 = extractvalue { ptr, ptr } %g2, 1
  %v2 = load i64, ptr %y2
  %n2 = add i64 %v2, 1
  store i64 %n2, ptr %y2
  call swiftcc void %k2(ptr noalias dereferenceable(32) %buffer, i1 false)
  %s2 = load i64, ptr @i
  call void @show(i64 %s2)
  ret void
}
