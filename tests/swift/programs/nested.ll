; An accessor that yields what another accessor yields, and passes on how it is resumed.
; prints: 10
; prints: 1
; prints: 0
; prints: 43
; prints: 10
; prints: 1
; prints: 1
; prints: 43
; prints: live 0
declare token @llvm.coro.id.retcon.once(i32, i32, ptr, ptr, ptr, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare swiftcc void @prototype(ptr noalias dereferenceable(32), i1)

define swiftcc { ptr, ptr } @inner(ptr noalias dereferenceable(32) %buffer, ptr swiftself %self) noinline {
entry:
  %copy = alloca i64
  %id = call token @llvm.coro.id.retcon.once(i32 32, i32 8, ptr %buffer, ptr @prototype, ptr @my_alloc, ptr @my_free)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %old = load i64, ptr %self
  store i64 %old, ptr %copy
  %unwinds = call i1 (...) @llvm.coro.suspend.retcon.i1(ptr %copy)
  %how = zext i1 %unwinds to i64
  call void @show(i64 %how)
  br i1 %unwinds, label %end, label %resume
resume:
  %new = load i64, ptr %copy
  store i64 %new, ptr %self
  br label %end
end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

define swiftcc { ptr, ptr } @outer(ptr noalias dereferenceable(32) %buffer, ptr swiftself %self) noinline {
entry:
  %own = alloca [32 x i8], align 8
  %id = call token @llvm.coro.id.retcon.once(i32 32, i32 8, ptr %buffer, ptr @prototype, ptr @my_alloc, ptr @my_free)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  call void @show(i64 10)
  %ramp = call ptr @llvm.coro.prepare.retcon(ptr @inner)
  %given = call swiftcc { ptr, ptr } %ramp(ptr noalias dereferenceable(32) %own, ptr swiftself %self)
  %next = extractvalue { ptr, ptr } %given, 0
  %at = extractvalue { ptr, ptr } %given, 1
  %unwinds = call i1 (...) @llvm.coro.suspend.retcon.i1(ptr %at)
  call void @show(i64 1)
  call swiftcc void %next(ptr noalias dereferenceable(32) %own, i1 %unwinds)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

define internal void @access(ptr %object, i1 %unwinds, i64 %value) {
  %buffer = alloca [32 x i8], align 8
  %ramp = call ptr @llvm.coro.prepare.retcon(ptr @outer)
  %given = call swiftcc { ptr, ptr } %ramp(ptr noalias dereferenceable(32) %buffer, ptr swiftself %object)
  %next = extractvalue { ptr, ptr } %given, 0
  %at = extractvalue { ptr, ptr } %given, 1
  store i64 %value, ptr %at
  call swiftcc void %next(ptr noalias dereferenceable(32) %buffer, i1 %unwinds)
  %now = load i64, ptr %object
  call void @show(i64 %now)
  ret void
}

define void @drive() {
  %object = alloca i64
  store i64 42, ptr %object
  call void @access(ptr %object, i1 false, i64 43)
  call void @access(ptr %object, i1 true, i64 44)
  ret void
}
