; _modify of a stored property: a temporary is copied back whether the caller continues or unwinds.
; prints: 2000
; prints: 1 2 3 99 5
; prints: 3000
; prints: 1 2 3 99 5
; prints: live 0
%Big = type { i64, i64, i64, i64, i64 }
declare token @llvm.coro.id.retcon.once(i32, i32, ptr, ptr, ptr, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare swiftcc void @prototype(ptr noalias dereferenceable(32), i1)

define swiftcc { ptr, ptr } @modify(ptr noalias dereferenceable(32) %buffer, ptr swiftself dereferenceable(40) %self) noinline {
entry:
  %copy = alloca %Big, align 8
  %id = call token @llvm.coro.id.retcon.once(i32 32, i32 8, ptr %buffer, ptr @prototype, ptr @my_alloc, ptr @my_free)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  call void @llvm.lifetime.start.p0(ptr %copy)
  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %self, i64 40, i1 false)
  %unwinds = call i1 (...) @llvm.coro.suspend.retcon.i1(ptr %copy)
  br i1 %unwinds, label %unwind, label %resume
resume:
  call void @show(i64 2000)
  call void @llvm.memcpy.p0.p0.i64(ptr %self, ptr %copy, i64 40, i1 false)
  call void @llvm.lifetime.end.p0(ptr %copy)
  br label %end
unwind:
  call void @show(i64 3000)
  call void @llvm.lifetime.end.p0(ptr %copy)
  br label %end
end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

define void @drive() {
  %object = alloca %Big
  store [5 x i64] [i64 1, i64 2, i64 3, i64 4, i64 5], ptr %object
  %buffer = alloca [32 x i8], align 8
  %ramp = call ptr @llvm.coro.prepare.retcon(ptr @modify)
  %first = call swiftcc { ptr, ptr } %ramp(ptr noalias dereferenceable(32) %buffer, ptr swiftself %object)
  %resume = extractvalue { ptr, ptr } %first, 0
  %at = extractvalue { ptr, ptr } %first, 1
  %at3 = getelementptr i64, ptr %at, i64 3
  store i64 99, ptr %at3
  call swiftcc void %resume(ptr noalias dereferenceable(32) %buffer, i1 false)
  call void @show_all(ptr %object, i64 5)
  %second = call swiftcc { ptr, ptr } %ramp(ptr noalias dereferenceable(32) %buffer, ptr swiftself %object)
  %abort = extractvalue { ptr, ptr } %second, 0
  %to = extractvalue { ptr, ptr } %second, 1
  store i64 77, ptr %to
  call swiftcc void %abort(ptr noalias dereferenceable(32) %buffer, i1 true)
  call void @show_all(ptr %object, i64 5)
  ret void
}
