; Vectors that are live across the yield, and an alloca with a larger alignment than the buffer.
; prints: 0
; prints: 36
; prints: 0
; prints: 136
; prints: live 0
declare token @llvm.coro.id.retcon.once(i32, i32, ptr, ptr, ptr, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare i64 @llvm.vector.reduce.add.v8i64(<8 x i64>)
declare swiftcc void @prototype(ptr noalias dereferenceable(32), i1)

define internal void @check(ptr %at) noinline {
  %bits = ptrtoint ptr %at to i64
  %low = and i64 %bits, 63
  call void @show(i64 %low)
  ret void
}

define swiftcc { ptr, ptr } @f(ptr noalias dereferenceable(32) %buffer, <8 x i64> %given) noinline {
entry:
  %memory = alloca <8 x i64>, align 64
  %id = call token @llvm.coro.id.retcon.once(i32 32, i32 8, ptr %buffer, ptr @prototype, ptr @my_alloc, ptr @my_free)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  store <8 x i64> %given, ptr %memory, align 64
  call void @check(ptr %memory)
  %twice = fadd <4 x double> <double 1.0, double 2.0, double 3.0, double 4.0>, <double 1.0, double 2.0, double 3.0, double 4.0>
  %one = call i64 @opaque(i64 1)
  %wide = insertelement <8 x i64> zeroinitializer, i64 %one, i32 0
  %values = add <8 x i64> %given, %wide
  %unwinds = call i1 (...) @llvm.coro.suspend.retcon.i1(ptr %memory)
  %now = load <8 x i64>, ptr %memory, align 64
  %first = call i64 @llvm.vector.reduce.add.v8i64(<8 x i64> %now)
  call void @show(i64 %first)
  call void @check(ptr %memory)
  %diff = sub <8 x i64> %values, %wide
  %more = add <8 x i64> %diff, splat (i64 12)
  %second = call i64 @llvm.vector.reduce.add.v8i64(<8 x i64> %more)
  %part = extractelement <4 x double> %twice, i32 1
  %number = fptosi double %part to i64
  %sum = add i64 %second, %number
  call void @show(i64 %sum)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

define void @drive() {
  %buffer = alloca [32 x i8], align 8
  %ramp = call ptr @llvm.coro.prepare.retcon(ptr @f)
  %given = call swiftcc { ptr, ptr } %ramp(ptr noalias dereferenceable(32) %buffer, <8 x i64> <i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8>)
  %next = extractvalue { ptr, ptr } %given, 0
  call swiftcc void %next(ptr noalias dereferenceable(32) %buffer, i1 false)
  ret void
}
