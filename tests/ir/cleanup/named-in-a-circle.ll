; Constants that name a clone, and each other in a cycle, are no use of it until something else refers to them.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-cleanup -verify-each %s -o - | FileCheck %s

; CHECK-LABEL: define internal fastcc void @unused.destroy(
; CHECK-NOT: call fastcc void @unused.cleanup(
; CHECK: ret void
; CHECK-LABEL: define internal fastcc void @used.destroy(
; CHECK-NEXT: entry.destroy:
; CHECK-NEXT: call fastcc void @used.cleanup(ptr %frame)
define internal fastcc void @unused.destroy(ptr %frame) {
  call void @end(ptr %frame, i32 0)
  call void @end(ptr %frame, i32 1)
  call void @end(ptr %frame, i32 2)
  call void @end(ptr %frame, i32 3)
  call void @end(ptr %frame, i32 4)
  call void @end(ptr %frame, i32 5)
  call void @free(ptr %frame)
  ret void
}
define internal fastcc void @unused.cleanup(ptr %frame) {
  call void @end(ptr %frame, i32 0)
  call void @end(ptr %frame, i32 1)
  call void @end(ptr %frame, i32 2)
  call void @end(ptr %frame, i32 3)
  call void @end(ptr %frame, i32 4)
  call void @end(ptr %frame, i32 5)
  ret void
}
define internal fastcc void @used.destroy(ptr %frame) {
  call void @end(ptr %frame, i32 0)
  call void @end(ptr %frame, i32 1)
  call void @end(ptr %frame, i32 2)
  call void @end(ptr %frame, i32 3)
  call void @end(ptr %frame, i32 4)
  call void @end(ptr %frame, i32 5)
  call void @free(ptr %frame)
  ret void
}
define internal fastcc void @used.cleanup(ptr %frame) {
  call void @end(ptr %frame, i32 0)
  call void @end(ptr %frame, i32 1)
  call void @end(ptr %frame, i32 2)
  call void @end(ptr %frame, i32 3)
  call void @end(ptr %frame, i32 4)
  call void @end(ptr %frame, i32 5)
  ret void
}
define internal fastcc void @unused.resume(ptr %frame) {
  ret void
}
define internal fastcc void @used.resume(ptr %frame) {
  ret void
}
define void @unused(ptr %to) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @unused, ptr @unused.resumers)
  store ptr @unused.destroy, ptr %to, align 8
  ret void
}
define void @used(ptr %to) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @used, ptr @used.resumers)
  store ptr @used.destroy, ptr %to, align 8
  store ptr @two, ptr %to, align 8
  ret void
}
@unused.resumers = private constant [3 x ptr] [ptr @unused.resume, ptr @unused.destroy, ptr @unused.cleanup]
@used.resumers = private constant [3 x ptr] [ptr @used.resume, ptr @used.destroy, ptr @used.cleanup]
@itself = internal global { ptr, ptr } { ptr @unused.cleanup, ptr @itself }
@one = internal global { ptr, ptr } { ptr @used.cleanup, ptr @two }
@two = internal global { ptr, ptr } { ptr null, ptr @one }
declare void @end(ptr, i32)
declare void @free(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
