; A throwing accessor: the error register is passed through the ramp and the continuation.
; prints: 0
; prints: 11
; prints: 0
; prints: live 0
declare token @llvm.coro.id.retcon.once(i32, i32, ptr, ptr, ptr, ptr)
declare { i1, ptr } @llvm.coro.suspend.retcon.sl_i1p0s(...)
declare swiftcc void @prototype(ptr noalias dereferenceable(8), i1, ptr swifterror)

define internal swiftcc void @fails(i64 %code, ptr swifterror %error) noinline {
  %new = inttoptr i64 %code to ptr
  store ptr %new, ptr %error
  ret void
}

define swiftcc { ptr, i64 } @f(ptr noalias dereferenceable(8) %buffer, i64 %n, ptr swifterror %error) noinline {
entry:
  %id = call token @llvm.coro.id.retcon.once(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @my_alloc, ptr @my_free)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %old = load ptr, ptr %error
  %number = ptrtoint ptr %old to i64
  %more = mul i64 %n, 2
  %back = call { i1, ptr } (...) @llvm.coro.suspend.retcon.sl_i1p0s(i64 %number)
  %unwinds = extractvalue { i1, ptr } %back, 0
  br i1 %unwinds, label %end, label %resume
resume:
  %code = add i64 %more, 1
  call swiftcc void @fails(i64 %code, ptr swifterror %error)
  br label %end
end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

define void @drive() {
  %buffer = alloca [8 x i8], align 8
  %error = alloca swifterror ptr
  store ptr null, ptr %error
  %ramp = call ptr @llvm.coro.prepare.retcon(ptr @f)
  %given = call swiftcc { ptr, i64 } %ramp(ptr noalias dereferenceable(8) %buffer, i64 5, ptr swifterror %error)
  %next = extractvalue { ptr, i64 } %given, 0
  %value = extractvalue { ptr, i64 } %given, 1
  call void @show(i64 %value)
  call swiftcc void %next(ptr noalias dereferenceable(8) %buffer, i1 false, ptr swifterror %error)
  %held = load ptr, ptr %error
  %code = ptrtoint ptr %held to i64
  call void @show(i64 %code)
  store ptr null, ptr %error
  %again = call swiftcc { ptr, i64 } %ramp(ptr noalias dereferenceable(8) %buffer, i64 5, ptr swifterror %error)
  %abort = extractvalue { ptr, i64 } %again, 0
  call swiftcc void %abort(ptr noalias dereferenceable(8) %buffer, i1 true, ptr swifterror %error)
  %kept = load ptr, ptr %error
  %same = ptrtoint ptr %kept to i64
  call void @show(i64 %same)
  ret void
}
