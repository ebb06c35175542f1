; Context intrinsics allocate with malloc, with the final size in the async function pointer.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-cleanup %s -o - | FileCheck %s --implicit-check-not=llvm.coro
@known = global { i64, i64 } { i64 7, i64 16 }
@other = external global <{ i32, i32 }>

; CHECK-LABEL: define void @f(ptr %task)
; CHECK: %[[SIZE:.*]] = load i64, ptr getelementptr inbounds nuw ({ i64, i64 }, ptr @known, i32 0, i32 1)
; CHECK: %[[KNOWN:.*]] = call ptr @malloc(i64 %[[SIZE]])
; CHECK: %[[SHORT:.*]] = load i32, ptr getelementptr inbounds nuw (<{ i32, i32 }>, ptr @other, i32 0, i32 1)
; CHECK: %[[LONG:.*]] = zext i32 %[[SHORT]] to i64
; CHECK: %[[OTHER:.*]] = call ptr @malloc(i64 %[[LONG]])
; CHECK: call void @use(ptr %[[KNOWN]], ptr %[[OTHER]])
; CHECK: call void @free(ptr %[[OTHER]])
; CHECK: call void @free(ptr %[[KNOWN]])
define void @f(ptr %task) {
  %known = call ptr @llvm.coro.async.context.alloc(ptr %task, ptr @known)
  %other = call ptr @llvm.coro.async.context.alloc(ptr %task, ptr @other)
  call void @use(ptr %known, ptr %other)
  call void @llvm.coro.async.context.dealloc(ptr %other)
  call void @llvm.coro.async.context.dealloc(ptr %known)
  ret void
}
declare void @use(ptr, ptr)
declare ptr @llvm.coro.async.context.alloc(ptr, ptr)
declare void @llvm.coro.async.context.dealloc(ptr)
