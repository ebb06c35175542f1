; A module without coroutines: its operations on handles are lowered, and invokes stay invokes.
; RUN: pycoro opt -S -passes=coro-early %s -o - | FileCheck %s
; RUN: pycoro opt -S -passes=coro-early,coro-early %s -o - | FileCheck %s
; RUN: pycoro opt -S -passes=coro-early,coro-cleanup %s -o - | FileCheck %s --check-prefix=CLEAN

; CLEAN-NOT: llvm.coro

; CHECK-LABEL: define void @resume(
; CHECK: [[RESUME:%.*]] = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 0)
; CHECK-NEXT: tail call fastcc void [[RESUME]](ptr nonnull %hdl) #[[#COLD:]] [ "note"(i32 7) ]
; CHECK-NEXT: ret void
define void @resume(ptr %hdl) {
  tail call void @llvm.coro.resume(ptr nonnull %hdl) cold [ "note"(i32 7) ]
  ret void
}

; CHECK-LABEL: define void @destroy(
; CHECK: [[DESTROY:%.*]] = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
; CHECK-NEXT: invoke fastcc void [[DESTROY]](ptr %hdl)
; CHECK-NEXT: to label %fine unwind label %bad
define void @destroy(ptr %hdl) personality ptr @personality {
entry:
  invoke void @llvm.coro.destroy(ptr %hdl)
          to label %fine unwind label %bad
fine:
  ret void
bad:
  %pad = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %pad
}

; CHECK-LABEL: define i1 @done(
; CHECK-NEXT: [[SLOT:%.*]] = load ptr, ptr %hdl, align 8
; CHECK-NEXT: [[DONE:%.*]] = icmp eq ptr [[SLOT]], null
; CHECK-NEXT: ret i1 [[DONE]]
; CLEAN-LABEL: define i1 @done(
define i1 @done(ptr %hdl) {
  %done = call i1 @llvm.coro.done(ptr %hdl)
  ret i1 %done
}

; The two pointers of the header, then the promise at the next multiple of its alignment; and back again.
; CHECK-LABEL: define { ptr, ptr, ptr, ptr } @promise(
; CHECK-DAG: getelementptr inbounds i8, ptr %p, i32 16
; CHECK-DAG: getelementptr inbounds i8, ptr %p, i32 -16
; CHECK-DAG: getelementptr inbounds i8, ptr %p, i32 64
; CHECK-DAG: getelementptr inbounds i8, ptr %p, i32 -64
; CHECK-NOT: call ptr @llvm.coro.promise
define { ptr, ptr, ptr, ptr } @promise(ptr %p) {
  %to.small = call ptr @llvm.coro.promise(ptr %p, i32 4, i1 false)
  %from.small = call ptr @llvm.coro.promise(ptr %p, i32 4, i1 true)
  %to.large = call ptr @llvm.coro.promise(ptr %p, i32 64, i1 false)
  %from.large = call ptr @llvm.coro.promise(ptr %p, i32 64, i1 true)
  %a = insertvalue { ptr, ptr, ptr, ptr } poison, ptr %to.small, 0
  %b = insertvalue { ptr, ptr, ptr, ptr } %a, ptr %from.small, 1
  %c = insertvalue { ptr, ptr, ptr, ptr } %b, ptr %to.large, 2
  %d = insertvalue { ptr, ptr, ptr, ptr } %c, ptr %from.large, 3
  ret { ptr, ptr, ptr, ptr } %d
}

; CHECK: attributes #[[#COLD]] = { cold }

declare i32 @personality(...)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare i1 @llvm.coro.done(ptr)
declare ptr @llvm.coro.promise(ptr, i32, i1)
