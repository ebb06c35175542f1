; A coroutine that yields once, as an accessor for in-place modification: the continuation writes the value back and
; returns results. The resume argument says whether it was abandoned.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: call {{.*}}@llvm.coro
; CHECK-LABEL: define { ptr, ptr } @modify(
; The address of %copy is the caller's while the coroutine is suspended, so that the buffer is not the continuation's own.
; CHECK: define internal { i32, i1 } @modify.resume.0(ptr noundef nonnull align 8 dereferenceable(32) %buffer, i1 zeroext %
; OUT: was 10 now 21 kept 1 and 21 kept 0

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@text = private constant [22 x i8] c"was %d now %d kept %d\00"
@also = private constant [17 x i8] c" and %d kept %d\0A\00"

define { ptr, ptr } @modify(ptr %buffer, ptr %object) {
entry:
  %copy = alloca i32
  %id = call token @llvm.coro.id.retcon.once(i32 32, i32 8, ptr %buffer, ptr @prototype, ptr @malloc, ptr @free)
  %frame = call ptr @llvm.coro.begin(token %id, ptr null)
  %old = load i32, ptr %object
  store i32 %old, ptr %copy
  %abandoned = call i1 (...) @llvm.coro.suspend.retcon.i1(ptr %copy)
  br i1 %abandoned, label %end, label %commit
commit:
  %new = load i32, ptr %copy
  store i32 %new, ptr %object
  br label %end
end:
  %kept = xor i1 %abandoned, true
  %results = call token (...) @llvm.coro.end.results(i32 %old, i1 %kept)
  call void @llvm.coro.end(ptr %frame, i1 false, token %results)
  unreachable
}

define { i32, i32, i1 } @bump(ptr %object, i1 zeroext %abandon) {
  %buffer = alloca [32 x i8], align 8
  %yielded = call { ptr, ptr } @modify(ptr %buffer, ptr %object)
  %place = extractvalue { ptr, ptr } %yielded, 1
  %value = load i32, ptr %place
  %twice = mul i32 %value, 2
  %more = add i32 %twice, 1
  store i32 %more, ptr %place
  %go = extractvalue { ptr, ptr } %yielded, 0
  %results = call { i32, i1 } %go(ptr %buffer, i1 zeroext %abandon)
  %old = extractvalue { i32, i1 } %results, 0
  %kept = extractvalue { i32, i1 } %results, 1
  %now = load i32, ptr %object
  %a = insertvalue { i32, i32, i1 } poison, i32 %old, 0
  %b = insertvalue { i32, i32, i1 } %a, i32 %now, 1
  %c = insertvalue { i32, i32, i1 } %b, i1 %kept, 2
  ret { i32, i32, i1 } %c
}

define i32 @main() {
  %object = alloca i32
  store i32 10, ptr %object
  %one = call { i32, i32, i1 } @bump(ptr %object, i1 zeroext false)
  %old = extractvalue { i32, i32, i1 } %one, 0
  %now = extractvalue { i32, i32, i1 } %one, 1
  %kept = extractvalue { i32, i32, i1 } %one, 2
  %k = zext i1 %kept to i32
  call i32 (ptr, ...) @printf(ptr @text, i32 %old, i32 %now, i32 %k)
  %two = call { i32, i32, i1 } @bump(ptr %object, i1 zeroext true)
  %now.2 = extractvalue { i32, i32, i1 } %two, 1
  %kept.2 = extractvalue { i32, i32, i1 } %two, 2
  %k.2 = zext i1 %kept.2 to i32
  call i32 (ptr, ...) @printf(ptr @also, i32 %now.2, i32 %k.2)
  ret i32 0
}

declare { i32, i1 } @prototype(ptr, i1 zeroext)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
declare token @llvm.coro.id.retcon.once(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare token @llvm.coro.end.results(...)
declare void @llvm.coro.end(ptr, i1, token)
