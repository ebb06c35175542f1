; A continuation with a swifterror parameter uses it in place of the coroutine's. One without has an alloca, whose
; content is in the buffer.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup,default<O2>' -verify-each -S -o %t.O2.ll
; RUN: lli-22 %t.O2.ll | FileCheck %s --check-prefix=OUT

; CHECK-LABEL: define swiftcc ptr @passed(ptr %buffer, i32 %n, ptr swifterror %error)
; CHECK: call swiftcc void @add(i32 %{{.*}}, ptr swifterror %error)
; CHECK-LABEL: define swiftcc ptr @kept(
; CHECK: call swiftcc void @add(i32 %{{.*}}, ptr swifterror %[[OWN:.*]])
; CHECK: %[[HELD:.*]] = load ptr, ptr %[[OWN]]
; CHECK-NEXT: store ptr %[[HELD]], ptr %
; CHECK-LABEL: define internal swiftcc ptr @passed.resume.0(
; CHECK-SAME: ptr swifterror %[[ERROR:[0-9a-z]+]])
; CHECK-NOT: alloca swifterror
; CHECK: call swiftcc void @add(i32 %{{.*}}, ptr swifterror %[[ERROR]])
; CHECK-LABEL: define internal swiftcc ptr @kept.resume.0(
; CHECK: %own = alloca swifterror ptr
; CHECK: store ptr %{{.*}}, ptr %own
; CHECK: call swiftcc void @add(i32 %{{.*}}, ptr swifterror %own)

; OUT: in 101 out 101
; OUT-NEXT: in 203 out 203
; OUT-NEXT: in 304 out 304
; OUT-NEXT: own 1001
; OUT-NEXT: own 1003
; OUT-NEXT: own 1006

@in = private constant [7 x i8] c"in %d \00"
@out = private constant [8 x i8] c"out %d\0A\00"
@own = private constant [8 x i8] c"own %d\0A\00"

define swiftcc ptr @passed(ptr %buffer, i32 %n, ptr swifterror %error) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.retcon(i32 16, i32 8, ptr %buffer, ptr @prototype.error, ptr @malloc, ptr @free)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  br label %loop

loop:
  %i = phi i32 [ %n, %entry ], [ %next, %resume ]
  call swiftcc void @add(i32 %i, ptr swifterror %error)
  %value = load ptr, ptr %error
  %number = ptrtoint ptr %value to i64
  call i32 (ptr, ...) @printf(ptr @in, i64 %number)
  %given = call { i1, ptr } (...) @llvm.coro.suspend.retcon.sl_i1p0s()
  %unwind = extractvalue { i1, ptr } %given, 0
  br i1 %unwind, label %cleanup, label %resume

resume:
  %next = add i32 %i, 1
  br label %loop

cleanup:
  call void @llvm.coro.end(ptr %hdl, i1 0, token none)
  unreachable
}

define swiftcc ptr @kept(ptr %buffer, i32 %n) presplitcoroutine {
entry:
  %own = alloca swifterror ptr
  store ptr inttoptr (i64 1000 to ptr), ptr %own
  %id = call token @llvm.coro.id.retcon(i32 16, i32 8, ptr %buffer, ptr @prototype, ptr @malloc, ptr @free)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  br label %loop

loop:
  %i = phi i32 [ %n, %entry ], [ %next, %resume ]
  call swiftcc void @add(i32 %i, ptr swifterror %own)
  %unwind = call i1 (...) @llvm.coro.suspend.retcon.i1()
  br i1 %unwind, label %cleanup, label %resume

resume:
  call void @say(ptr swifterror %own)
  %next = add i32 %i, 1
  br label %loop

cleanup:
  call void @say(ptr swifterror %own)
  call void @llvm.coro.end(ptr %hdl, i1 0, token none)
  unreachable
}

define swiftcc void @add(i32 %by, ptr swifterror %error) noinline {
  %old = load ptr, ptr %error
  %number = ptrtoint ptr %old to i64
  %wide = zext i32 %by to i64
  %sum = add i64 %number, %wide
  %new = inttoptr i64 %sum to ptr
  store ptr %new, ptr %error
  ret void
}

define void @say(ptr swifterror %error) noinline {
  %value = load ptr, ptr %error
  %number = ptrtoint ptr %value to i64
  call i32 (ptr, ...) @printf(ptr @own, i64 %number)
  ret void
}

define i32 @main() {
entry:
  %error = alloca swifterror ptr
  %buffer = alloca [16 x i8], align 8
  store ptr inttoptr (i64 100 to ptr), ptr %error
  %first = call swiftcc ptr @passed(ptr %buffer, i32 1, ptr swifterror %error)
  call void @tell(ptr swifterror %error)
  store ptr inttoptr (i64 201 to ptr), ptr %error
  %second = call swiftcc ptr %first(ptr %buffer, i1 false, ptr swifterror %error)
  call void @tell(ptr swifterror %error)
  store ptr inttoptr (i64 301 to ptr), ptr %error
  %third = call swiftcc ptr %second(ptr %buffer, i1 false, ptr swifterror %error)
  call void @tell(ptr swifterror %error)
  %fourth = call swiftcc ptr %third(ptr %buffer, i1 true, ptr swifterror %error)
  %a = call swiftcc ptr @kept(ptr %buffer, i32 1)
  %b = call swiftcc ptr %a(ptr %buffer, i1 false)
  %c = call swiftcc ptr %b(ptr %buffer, i1 false)
  %d = call swiftcc ptr %c(ptr %buffer, i1 true)
  ret i32 0
}

define void @tell(ptr swifterror %error) noinline {
  %value = load ptr, ptr %error
  %number = ptrtoint ptr %value to i64
  call i32 (ptr, ...) @printf(ptr @out, i64 %number)
  ret void
}

declare swiftcc ptr @prototype.error(ptr, i1 zeroext, ptr swifterror)
declare swiftcc ptr @prototype(ptr, i1 zeroext)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
