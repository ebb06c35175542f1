; The code after an unwind end has the debug location of the end, also if the block of the end is split for it.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -passes=coro-early,verify -S | FileCheck %s

; CHECK-LABEL: define ptr @without_branch(
; CHECK: call void @llvm.coro.end(ptr %frame, i1 true, token none), !dbg [[END:![0-9]+]]
; CHECK-NEXT: %ramp = call i1 @llvm.coro.is_in_ramp(), !dbg [[END]]
; CHECK-NEXT: br i1 %ramp, label %propagate, label %unwound, !dbg [[END]]
; CHECK: unwound:
; CHECK-NEXT: %unwound.suspend = call i8 @llvm.coro.suspend(token none, i1 false), !dbg [[END]]
; CHECK-NEXT: switch i8 %unwound.suspend, label %propagate [
; CHECK: ], !dbg [[END]]
; CHECK: propagate:
; CHECK-NEXT: resume {{.*}}, !dbg [[RESUME:![0-9]+]]
; CHECK-LABEL: define ptr @with_pad(
; CHECK: cleanuppad within none []
; CHECK: %ramp = call i1 @llvm.coro.is_in_ramp(), !dbg [[PAD_END:![0-9]+]]
; CHECK: %unwound.suspend = call i8 @llvm.coro.suspend(token none, i1 false), !dbg [[PAD_END]]
; CHECK: [[END]] = !DILocation(line: 7,
; CHECK: [[RESUME]] = !DILocation(line: 8,
; CHECK: [[PAD_END]] = !DILocation(line: 9,

define ptr @without_branch() presplitcoroutine personality ptr @__gxx_personality_v0 !dbg !3 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null), !dbg !4
  %memory = call ptr @malloc(i64 64), !dbg !4
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory), !dbg !4
  %result = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !4
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ], !dbg !4

resume:
  invoke void @may_throw()
          to label %cleanup unwind label %thrown, !dbg !4

thrown:
  %exception = landingpad { ptr, i32 }
          cleanup, !dbg !4
  call void @llvm.coro.end(ptr %frame, i1 true, token none), !dbg !5
  resume { ptr, i32 } %exception, !dbg !6

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame), !dbg !4
  call void @free(ptr %block), !dbg !4
  br label %suspend, !dbg !4

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none), !dbg !4
  ret ptr %frame, !dbg !4
}

define ptr @with_pad() presplitcoroutine personality ptr @__CxxFrameHandler3 !dbg !7 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null), !dbg !8
  %memory = call ptr @malloc(i64 64), !dbg !8
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory), !dbg !8
  %result = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !8
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ], !dbg !8

resume:
  invoke void @may_throw()
          to label %cleanup unwind label %thrown, !dbg !8

thrown:
  %pad = cleanuppad within none [], !dbg !8
  call void @llvm.coro.end(ptr null, i1 true, token none) [ "funclet"(token %pad) ], !dbg !9
  cleanupret from %pad unwind label %ramp.only, !dbg !8

ramp.only:
  %next = cleanuppad within none [], !dbg !8
  %left = call ptr @llvm.coro.free(token %id, ptr %frame), !dbg !8
  call void @free(ptr %left) [ "funclet"(token %next) ], !dbg !8
  cleanupret from %next unwind to caller, !dbg !8

cleanup:
  call void @note(), !dbg !8
  %block = call ptr @llvm.coro.free(token %id, ptr %frame), !dbg !8
  call void @free(ptr %block), !dbg !8
  br label %suspend, !dbg !8

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none), !dbg !8
  ret ptr %frame, !dbg !8
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare i32 @__gxx_personality_v0(...)
declare i32 @__CxxFrameHandler3(...)
declare void @may_throw()
declare void @note()
declare ptr @malloc(i64)
declare void @free(ptr)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.cpp", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "without_branch", scope: !1, file: !1, line: 1, unit: !0)
!4 = !DILocation(line: 2, scope: !3)
!5 = !DILocation(line: 7, scope: !3)
!6 = !DILocation(line: 8, scope: !3)
!7 = distinct !DISubprogram(name: "with_pad", scope: !1, file: !1, line: 1, unit: !0)
!8 = !DILocation(line: 2, scope: !7)
!9 = !DILocation(line: 9, scope: !7)
