; A coroutine that yields once, and whose continuation returns results.
; prints: 7
; prints: 27
; prints: 140
; prints: live 0
declare token @llvm.coro.id.retcon.once(i32, i32, ptr, ptr, ptr, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare token @llvm.coro.end.results(...)
declare swiftcc { i64, i64 } @prototype(ptr noalias dereferenceable(16), i1)

define swiftcc { ptr, i64 } @f(ptr noalias dereferenceable(16) %buffer, i64 %a, i64 %b) noinline {
entry:
  %id = call token @llvm.coro.id.retcon.once(i32 16, i32 8, ptr %buffer, ptr @prototype, ptr @my_alloc, ptr @my_free)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %c = call i64 @opaque(i64 %a)
  %d = mul i64 %c, %b
  %unwinds = call i1 (...) @llvm.coro.suspend.retcon.i1(i64 %a)
  %sum = add i64 %a, %b
  br label %end
end:
  %results = call token (...) @llvm.coro.end.results(i64 %sum, i64 %d)
  call void @llvm.coro.end(ptr %handle, i1 false, token %results)
  unreachable
}

define void @drive() {
  %buffer = alloca [16 x i8], align 8
  %ramp = call ptr @llvm.coro.prepare.retcon(ptr @f)
  %given = call swiftcc { ptr, i64 } %ramp(ptr noalias dereferenceable(16) %buffer, i64 7, i64 20)
  %next = extractvalue { ptr, i64 } %given, 0
  %value = extractvalue { ptr, i64 } %given, 1
  call void @show(i64 %value)
  %results = call swiftcc { i64, i64 } %next(ptr noalias dereferenceable(16) %buffer, i1 false)
  %first = extractvalue { i64, i64 } %results, 0
  %second = extractvalue { i64, i64 } %results, 1
  call void @show(i64 %first)
  call void @show(i64 %second)
  ret void
}
