; A value in shared bytes is known where it is reloaded: after the reload at a resume point, and at a debug record even
; if the value is used later. Without a use there is no record. Rematerialized values are known too. If the bytes are
; not reused, records refer to the frame.
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup' | FileCheck %s
; UNSUPPORTED: reference

; CHECK: call ptr @malloc(i64 32)
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: {{^}}resumed:
; CHECK-NEXT: call void @show(i64 0)
; CHECK-NEXT: #dbg_value(i64 [[X:%.+]], ![[LATER:[0-9]+]], !DIExpression(DW_OP_plus_uconst, 1, DW_OP_stack_value),
; CHECK-NEXT: call void @show(i64 [[X]])
; CHECK: {{^}}resume.0:
; CHECK-NEXT: #dbg_label(
; CHECK-NEXT: [[X]] = load i64, ptr %x.spill.addr
; CHECK-NEXT: #dbg_value(i64 [[X]], ![[LOOPED:[0-9]+]], !DIExpression(),
; CHECK-NEXT: [[SUM:%.+]] = add i64 [[X]], 7
; CHECK-NEXT: #dbg_value(i64 [[SUM]], ![[SUMMED:[0-9]+]], !DIExpression(),
; CHECK-NEXT: br
; CHECK: {{^}}resume.1:
; CHECK-NEXT: #dbg_label(
; CHECK-NEXT: [[Y:%.+]] = load i64, ptr %y.spill.addr
; CHECK-NEXT: #dbg_value(i64 [[Y]], ![[LOOPED]], !DIExpression(),
; CHECK-NEXT: br
; CHECK-LABEL: define internal fastcc void @f.destroy(
; CHECK: {{^}}resume.0:
; CHECK-NEXT: #dbg_label(
; CHECK-NEXT: br

; CHECK-LABEL: define internal fastcc void @g.resume(
; CHECK: #dbg_value(ptr %handle, ![[LATE:[0-9]+]], !DIExpression(DW_OP_plus_uconst, 16, DW_OP_deref),
; CHECK: {{^}}resume.0:
; CHECK-NEXT: #dbg_label(
; CHECK-NEXT: [[EARLY:%.+]] = load i64,
; CHECK-NEXT: #dbg_value(i64 [[EARLY]], ![[EARLIER:[0-9]+]], !DIExpression(),
; CHECK: {{^}}resume.1:
; CHECK-NEXT: #dbg_label(
; CHECK-NEXT: #dbg_value(i64 0, ![[EARLIER]], !DIExpression(),
; CHECK-NEXT: #dbg_value(ptr %handle, ![[LATE]], !DIExpression(DW_OP_plus_uconst, 16, DW_OP_deref),

; CHECK-DAG: ![[LOOPED]] = !DILocalVariable(name: "looped"
; CHECK-DAG: ![[SUMMED]] = !DILocalVariable(name: "summed"
; CHECK-DAG: ![[LATER]] = !DILocalVariable(name: "later"
; CHECK-DAG: ![[EARLIER]] = !DILocalVariable(name: "earlier"
; CHECK-DAG: ![[LATE]] = !DILocalVariable(name: "late"

define ptr @f() presplitcoroutine !dbg !3 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null), !dbg !9
  %size = call i64 @llvm.coro.size.i64(), !dbg !9
  %memory = call ptr @malloc(i64 %size), !dbg !9
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory), !dbg !9
  br label %loop, !dbg !9
loop:
  %x = phi i64 [ 1, %entry ], [ %y, %again ]
    #dbg_value(i64 %x, !6, !DIExpression(), !9)
  %sum = add i64 %x, 7, !dbg !9
    #dbg_value(i64 %sum, !7, !DIExpression(), !9)
  call void @show(i64 %x), !dbg !9
  %s = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !9
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %destroyed
  ], !dbg !9
resumed:
  call void @show(i64 0), !dbg !9
    #dbg_value(i64 %x, !8, !DIExpression(DW_OP_plus_uconst, 1, DW_OP_stack_value), !9)
  call void @show(i64 %x), !dbg !9
  call void @show(i64 %sum), !dbg !9
  %y = call i64 @next(), !dbg !9
    #dbg_value(i64 %y, !6, !DIExpression(), !9)
  %t = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !9
  switch i8 %t, label %out [
    i8 0, label %again
    i8 1, label %destroyed
  ], !dbg !9
again:
  call void @show(i64 %y), !dbg !9
  br label %loop, !dbg !9
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle), !dbg !9
  call void @free(ptr %freed), !dbg !9
  br label %out, !dbg !9
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none), !dbg !9
  ret ptr %handle, !dbg !9
}

; The bytes are %early's over the first suspend, and %late's over the second.
define ptr @g() presplitcoroutine !dbg !11 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null), !dbg !14
  %size = call i64 @llvm.coro.size.i64(), !dbg !14
  %memory = call ptr @malloc(i64 %size), !dbg !14
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory), !dbg !14
  %early = call i64 @next(), !dbg !14
    #dbg_value(i64 %early, !12, !DIExpression(), !14)
  %s = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !14
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %destroyed
  ], !dbg !14
resumed:
  call void @show(i64 %early), !dbg !14
    #dbg_value(i64 0, !12, !DIExpression(), !14)
  %late = call i64 @next(), !dbg !14
    #dbg_value(i64 %late, !13, !DIExpression(), !14)
  %t = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !14
  switch i8 %t, label %out [
    i8 0, label %again
    i8 1, label %destroyed
  ], !dbg !14
again:
  call void @show(i64 0), !dbg !14
  call void @show(i64 %late), !dbg !14
  br label %destroyed, !dbg !14
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle), !dbg !14
  call void @free(ptr %freed), !dbg !14
  br label %out, !dbg !14
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none), !dbg !14
  ret ptr %handle, !dbg !14
}

declare void @show(i64)
declare i64 @next()
declare ptr @malloc(i64)
declare void @free(ptr)

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "f.c", directory: "/")
!3 = distinct !DISubprogram(name: "f", scope: !2, file: !2, line: 1, type: !4, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !1)
!4 = !DISubroutineType(types: !5)
!5 = !{}
!6 = !DILocalVariable(name: "looped", scope: !3, file: !2, line: 1, type: !10)
!7 = !DILocalVariable(name: "summed", scope: !3, file: !2, line: 1, type: !10)
!8 = !DILocalVariable(name: "later", scope: !3, file: !2, line: 1, type: !10)
!9 = !DILocation(line: 2, scope: !3)
!10 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!11 = distinct !DISubprogram(name: "g", scope: !2, file: !2, line: 1, type: !4, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !1)
!12 = !DILocalVariable(name: "earlier", scope: !11, file: !2, line: 1, type: !10)
!13 = !DILocalVariable(name: "late", scope: !11, file: !2, line: 1, type: !10)
!14 = !DILocation(line: 2, scope: !11)
