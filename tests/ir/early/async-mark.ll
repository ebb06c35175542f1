; coro-early marks an async coroutine even if it neither suspends nor ends; a split one has no id.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-early %s -o - | FileCheck %s
; RUN: pycoro opt -S -passes='coro-early,coro-split,coro-early' %s -o - | FileCheck %s --check-prefix=SPLIT

; CHECK: define void @f(ptr %context) #[[#MARK:]] {
; CHECK: attributes #[[#MARK]] = { presplitcoroutine }
; SPLIT-NOT: presplitcoroutine
; SPLIT: define void @f(ptr %context) {
define void @f(ptr %context) {
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @f.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  call void @use(ptr %hdl)
  ret void
}
; SPLIT: %[[FRAME:.*]] = getelementptr inbounds i8, ptr %context, i64 16
; SPLIT: call void @use(ptr %[[FRAME]])

@f.fp = global <{ i32, i32 }> <{ i32 0, i32 16 }>
declare void @use(ptr)
declare token @llvm.coro.id.async(i32, i32, i32, ptr)
declare ptr @llvm.coro.begin(token, ptr)
