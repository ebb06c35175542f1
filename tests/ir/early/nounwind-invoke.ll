; An invoke of a function that never unwinds becomes a call, and the landing pad that only it reaches disappears, as in
; LLVM's coro-split. The call keeps name, arguments, bundles, attributes and metadata, but not the weights of the edges.
; RUN: pycoro opt -S -passes=coro-early %s | FileCheck %s
; RUN: pycoro opt -S -passes='coro-early,coro-early' %s | FileCheck %s
; RUN: pycoro opt -S -passes='default<O0>' %s | FileCheck %s --check-prefix=SPLIT
; RUN: sed 's/__gxx_personality_v0/__C_specific_handler/' %s | pycoro opt -S -passes=coro-early | FileCheck %s --check-prefix=SEH
; RUN: sed 's/^!1 = .*/&\n!llvm.module.flags = !{!9}\n!9 = !{i32 1, !"eh-asynch", i32 1}/' %s | pycoro opt -S -passes=coro-early | FileCheck %s --check-prefix=SEH

; CHECK-LABEL: define ptr @only(
; CHECK:         %v = call fastcc noundef i32 @quiet(ptr noundef %p) #[[#]] [ "deopt"(i32 7) ], !callee_note ![[#]]{{$}}
; CHECK-NEXT:    br label %next
; CHECK-NOT:     landingpad
; CHECK-NOT:     invoke
; SPLIT-LABEL: define internal fastcc void @only.resume(
; SPLIT-NOT:     landingpad
; SPLIT:         call fastcc noundef i32 @quiet(
; SPLIT-NOT:     landingpad
; SEH-LABEL:   define ptr @only(
; SEH:           invoke fastcc noundef i32 @quiet(
define ptr @only(ptr %p) presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %v = invoke fastcc noundef i32 @quiet(ptr noundef %p) memory(read) [ "deopt"(i32 7) ]
          to label %next unwind label %pad, !prof !0, !callee_note !1

next:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %cleanup
  ]

resumed:
  %w = invoke fastcc noundef i32 @quiet(ptr noundef %p)
          to label %cleanup unwind label %pad

cleanup:
  %used = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %used)
  br label %out

pad:
  %exception = landingpad { ptr, i32 } cleanup
  call void @llvm.coro.end(ptr null, i1 true, token none)
  resume { ptr, i32 } %exception

out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

; A pad that another invoke reaches remains, without the entry of the removed edge in its phi. A call site may be
; nounwind although the function is not.
; CHECK-LABEL: define ptr @shared(
; CHECK:         call void @loud(i32 1) #[[#]]
; CHECK-NEXT:    br label %next
; CHECK:         invoke void @loud(i32 2)
; CHECK:       pad:
; CHECK-NEXT:    landingpad
; CHECK-NEXT:      cleanup
; CHECK-NEXT:    call void @loud(i32 20)
define ptr @shared() presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  invoke void @loud(i32 1) nounwind
          to label %next unwind label %pad

next:
  invoke void @loud(i32 2)
          to label %wait unwind label %pad

wait:
  %s = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s, label %out [
    i8 1, label %cleanup
  ]

cleanup:
  %used = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %used)
  br label %out

pad:
  %which = phi i32 [ 10, %entry ], [ 20, %next ]
  %exception = landingpad { ptr, i32 } cleanup
  call void @loud(i32 %which)
  call void @llvm.coro.end(ptr null, i1 true, token none)
  resume { ptr, i32 } %exception

out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare i32 @__gxx_personality_v0(...)
declare ptr @malloc(i64)
declare void @free(ptr)
declare fastcc i32 @quiet(ptr) nounwind
declare void @loud(i32)

!0 = !{!"branch_weights", i32 9, i32 1}
!1 = !{}
