; An address chosen between several before llvm.coro.begin, and used where control with the frame and control without it
; have met: it is in the frame for the former, and on the stack for the latter.
; RUN: pycoro opt %s -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' -o %t.bc
; RUN: lli-22 %t.bc | FileCheck %s
; RUN: pycoro opt %s -passes='default<O2>' -o %t.o2.bc
; RUN: lli-22 %t.o2.bc | FileCheck %s
; UNSUPPORTED: reference

; CHECK: 5
; CHECK-NEXT: 3

define i32 @f(i1 %fail, ptr %memory) presplitcoroutine {
entry:
  %pair = alloca [2 x i32]
  %second = getelementptr i8, ptr %pair, i64 4
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  br i1 %fail, label %choose, label %chosen

choose:
  br label %chosen

chosen:
  %which = phi ptr [ %pair, %entry ], [ %second, %choose ]
  br i1 %fail, label %no.memory, label %ok

no.memory:
  store i64 12884901890, ptr %pair
  br label %ret.block

ok:
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store i64 17179869189, ptr %pair
  call void @keep(ptr %pair)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %suspend
    i8 1, label %suspend
  ]

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  br label %ret.block

ret.block:
  %value = load i32, ptr %which
  ret i32 %value
}

@format = private constant [4 x i8] c"%d\0A\00"

define i32 @main() {
  %memory = alloca [256 x i8], align 16
  %with = call i32 @f(i1 false, ptr %memory)
  call i32 (ptr, ...) @printf(ptr @format, i32 %with)
  %without = call i32 @f(i1 true, ptr %memory)
  call i32 (ptr, ...) @printf(ptr @format, i32 %without)
  ret i32 0
}

define void @keep(ptr %pair) noinline optnone {
  ret void
}

declare i32 @printf(ptr, ...)
