; An accessor whose frame comes from a typed allocator, as Swift's own LLVM prints it: a variadic id with a type id.
; prints: type 38223
; prints: 5
; prints: 10
; prints: live 0
declare token @llvm.coro.id.retcon.once(i32, i32, ptr, ptr, ptr, ptr, ...)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare ptr @swift_coroFrameAlloc(i64, i64)
declare swiftcc void @prototype(ptr noalias dereferenceable(8), i1)

define swiftcc { ptr, i64 } @f(ptr noalias dereferenceable(8) %0, i64 %1, i64 %2) noinline {
  %4 = call token (i32, i32, ptr, ptr, ptr, ptr, ...) @llvm.coro.id.retcon.once(i32 8, i32 8, ptr %0, ptr @prototype, ptr @swift_coroFrameAlloc, ptr @my_free, i64 38223)
  %5 = call ptr @llvm.coro.begin(token %4, ptr null)
  %6 = call i1 (...) @llvm.coro.suspend.retcon.i1(i64 %1)
  %7 = add i64 %2, %1
  call void @show(i64 %7)
  call void @llvm.coro.end(ptr %5, i1 false, token none)
  unreachable
}

define void @drive() {
  %buffer = alloca [8 x i8], align 8
  %ramp = call ptr @llvm.coro.prepare.retcon(ptr @f)
  %a = call i64 @opaque(i64 5)
  %given = call swiftcc { ptr, i64 } %ramp(ptr noalias dereferenceable(8) %buffer, i64 5, i64 %a)
  %next = extractvalue { ptr, i64 } %given, 0
  %value = extractvalue { ptr, i64 } %given, 1
  call void @show(i64 %value)
  call swiftcc void %next(ptr noalias dereferenceable(8) %buffer, i1 false)
  ret void
}
