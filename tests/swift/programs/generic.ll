; A generic accessor: the size of its temporary is known at run time only.
; prints: 0 1 2 3 4 5 6
; prints: 0 1 77 3 4 5 6
; prints: 0
; prints: live 0
declare token @llvm.coro.id.retcon.once(i32, i32, ptr, ptr, ptr, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare token @llvm.coro.alloca.alloc.i64(i64, i32)
declare ptr @llvm.coro.alloca.get(token)
declare void @llvm.coro.alloca.free(token)
declare swiftcc void @prototype(ptr noalias dereferenceable(32), i1)

define swiftcc { ptr, ptr } @f(ptr noalias dereferenceable(32) %buffer, ptr %from, i64 %count) noinline {
entry:
  %id = call token @llvm.coro.id.retcon.once(i32 32, i32 8, ptr %buffer, ptr @prototype, ptr @my_alloc, ptr @my_free)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %size = mul i64 %count, 8
  %memory = call token @llvm.coro.alloca.alloc.i64(i64 %size, i32 32)
  %copy = call ptr @llvm.coro.alloca.get(token %memory)
  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %from, i64 %size, i1 false)
  call void @show_all(ptr %copy, i64 %count)
  %unwinds = call i1 (...) @llvm.coro.suspend.retcon.i1(ptr %copy)
  br i1 %unwinds, label %end, label %resume
resume:
  call void @show_all(ptr %copy, i64 %count)
  %bits = ptrtoint ptr %copy to i64
  %low = and i64 %bits, 31
  call void @show(i64 %low)
  br label %end
end:
  call void @llvm.coro.alloca.free(token %memory)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

define void @drive() {
  %values = alloca [7 x i64]
  store [7 x i64] [i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6], ptr %values
  %buffer = alloca [32 x i8], align 8
  %ramp = call ptr @llvm.coro.prepare.retcon(ptr @f)
  %count = call i64 @opaque(i64 7)
  %given = call swiftcc { ptr, ptr } %ramp(ptr noalias dereferenceable(32) %buffer, ptr %values, i64 %count)
  %next = extractvalue { ptr, ptr } %given, 0
  %at = extractvalue { ptr, ptr } %given, 1
  %at2 = getelementptr i64, ptr %at, i64 2
  store i64 77, ptr %at2
  call swiftcc void %next(ptr noalias dereferenceable(32) %buffer, i1 false)
  ret void
}
