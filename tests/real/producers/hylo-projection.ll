; producer: Hylo
; llvm: 17
; abi: retcon once
; expect: 7 9 11 7 20 0
;
; Subscripts as Hylo emits them: a buffer of 8 bytes, a frame from the allocator if the values that are live do not fit, an
; i1 that tells the slide whether it resumes abnormally and that no code reads, llvm.coro.end with two operands and
; unreachable. The caller projects by llvm.coro.prepare.retcon and later calls the slide.

declare ptr @take_word(i64)
declare void @give(ptr)
declare void @report(i32)
declare i32 @frames()
declare void @slide(ptr, i1)
declare token @llvm.coro.id.retcon.once(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare i1 @llvm.coro.end(ptr, i1)
declare ptr @llvm.coro.prepare.retcon(ptr)

define { ptr, ptr } @identity(ptr %frame, ptr %x) {
prologue:
  %0 = call token @llvm.coro.id.retcon.once(i32 8, i32 8, ptr %frame, ptr @slide, ptr @take_word, ptr @give)
  %1 = call ptr @llvm.coro.begin(token %0, ptr null)
  br label %b0

b0:
  %2 = call i1 (...) @llvm.coro.suspend.retcon.i1(ptr %x)
  %3 = load i32, ptr %x
  call void @report(i32 %3)
  %4 = call i1 @llvm.coro.end(ptr %1, i1 false)
  unreachable
}

define { ptr, ptr } @clamped(ptr %frame, ptr %x, ptr %limit) {
prologue:
  %temporary = alloca i32
  %0 = call token @llvm.coro.id.retcon.once(i32 8, i32 8, ptr %frame, ptr @slide, ptr @take_word, ptr @give)
  %1 = call ptr @llvm.coro.begin(token %0, ptr null)
  %old = load i32, ptr %x
  store i32 %old, ptr %temporary
  br label %b0

b0:
  %2 = call i1 (...) @llvm.coro.suspend.retcon.i1(ptr %temporary)
  %new = load i32, ptr %temporary
  %most = load i32, ptr %limit
  %above = icmp sgt i32 %new, %most
  br i1 %above, label %b1, label %b2

b1:
  store i32 %most, ptr %x
  br label %b3

b2:
  store i32 %new, ptr %x
  br label %b3

b3:
  call void @report(i32 %old)
  %3 = call i1 @llvm.coro.end(ptr %1, i1 false)
  unreachable
}

define void @run() {
prologue:
  %x = alloca i32
  %limit = alloca i32
  %b0 = alloca [8 x i8], align 8
  %b1 = alloca [8 x i8], align 8
  store i32 7, ptr %x
  store i32 20, ptr %limit
  %0 = call ptr @llvm.coro.prepare.retcon(ptr @identity)
  %1 = call { ptr, ptr } %0(ptr %b0, ptr %x)
  %2 = extractvalue { ptr, ptr } %1, 0
  %3 = extractvalue { ptr, ptr } %1, 1
  %4 = load i32, ptr %3
  call void @report(i32 %4)
  store i32 9, ptr %3
  call void %2(ptr %b0, i1 false)
  %5 = call ptr @llvm.coro.prepare.retcon(ptr @clamped)
  store i32 7, ptr %x
  %6 = call { ptr, ptr } %5(ptr %b1, ptr %x, ptr %limit)
  %7 = extractvalue { ptr, ptr } %6, 0
  %8 = extractvalue { ptr, ptr } %6, 1
  store i32 30, ptr %8
  call void @report(i32 11)
  call void %7(ptr %b1, i1 false)
  %9 = load i32, ptr %x
  call void @report(i32 %9)
  %10 = call i32 @frames()
  call void @report(i32 %10)
  ret void
}
