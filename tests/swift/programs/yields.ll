; A generator that yields several times, and is abandoned or runs to its end.
; prints: 0
; prints: 1
; prints: 5
; prints: 100
; prints: 0
; prints: 1
; prints: 200
; prints: live 0
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare swiftcc { ptr, i64 } @prototype(ptr noalias dereferenceable(8), i1)

define swiftcc { ptr, i64 } @squares(ptr noalias dereferenceable(8) %buffer, i64 %n) noinline {
entry:
  %sums = alloca [4 x i64]
  %id = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @my_alloc, ptr @my_free)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  store i64 0, ptr %sums
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %resume ]
  %square = mul i64 %i, %i
  %old = load i64, ptr %sums
  %sum = add i64 %old, %square
  store i64 %sum, ptr %sums
  %unwinds = call i1 (...) @llvm.coro.suspend.retcon.i1(i64 %sum)
  br i1 %unwinds, label %unwind, label %resume
resume:
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  call void @show(i64 100)
  br label %end
unwind:
  call void @show(i64 200)
  br label %end
end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

define internal void @run(i64 %most) {
entry:
  %buffer = alloca [8 x i8], align 8
  %ramp = call ptr @llvm.coro.prepare.retcon(ptr @squares)
  %first = call swiftcc { ptr, i64 } %ramp(ptr noalias dereferenceable(8) %buffer, i64 3)
  br label %loop
loop:
  %at = phi { ptr, i64 } [ %first, %entry ], [ %after, %go ]
  %i = phi i64 [ 0, %entry ], [ %next, %go ]
  %resume = extractvalue { ptr, i64 } %at, 0
  %over = icmp eq ptr %resume, null
  br i1 %over, label %end, label %go.on
go.on:
  %value = extractvalue { ptr, i64 } %at, 1
  call void @show(i64 %value)
  br label %go
go:
  %next = add i64 %i, 1
  %stop = icmp uge i64 %next, %most
  %after = call swiftcc { ptr, i64 } %resume(ptr noalias dereferenceable(8) %buffer, i1 %stop)
  br label %loop
end:
  ret void
}

define void @drive() {
  call void @run(i64 9)
  call void @run(i64 2)
  ret void
}
