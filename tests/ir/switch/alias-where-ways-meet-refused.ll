; An address chosen between several before llvm.coro.begin cannot be made again out of the frame's, as little where control
; with the frame and control without it have met.
; RUN: not pycoro opt %s -passes='coro-early,cgscc(coro-split)' -disable-output 2>&1 | FileCheck %s

; CHECK: an address computed before llvm.coro.begin has an unknown offset into an alloca that moves to the frame
; CHECK: %which = phi ptr

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
  call void @set(ptr %pair)
  br label %ret.block

ok:
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @set(ptr %pair)
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

declare void @set(ptr)
