; At a resume point no records from before the suspend apply. Those that hold on every incoming path are repeated if the
; frame or a constant has the value: the last record, a constant, a fragment, memory. Ambiguous values, overwritten
; memory and dead values are not.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc-22 -filetype=obj %t.ll -o %t.o
; RUN: llvm-dwarfdump-22 --verify %t.o
; REQUIRES: llc, llvm-dwarfdump

; An address in the frame is known once there is a frame.
; CHECK-LABEL: define ptr @f(
; CHECK: #dbg_value(ptr poison, ![[PLACE:[0-9]+]], !DIExpression(DW_OP_deref),
; CHECK: [[FRAME:%.+]] = call ptr @malloc
; CHECK: #dbg_value(ptr [[FRAME]], ![[PLACE]], !DIExpression(DW_OP_plus_uconst, [[#AT_PLACE:]], DW_OP_deref),

; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: {{^}}resume.0:
; CHECK-NEXT: #dbg_label(
; CHECK-NEXT: #dbg_value(ptr %handle, ![[COUNTER:[0-9]+]], !DIExpression(DW_OP_plus_uconst, [[#AT_A:]], DW_OP_deref),
; CHECK-NEXT: #dbg_value(ptr %handle, ![[HOMED:[0-9]+]], !DIExpression(DW_OP_plus_uconst, [[#AT_HOMED:]], DW_OP_deref),
; CHECK-NOT: #dbg_
; CHECK: {{^}}resume.1:
; CHECK-NEXT: #dbg_label(
; CHECK-NEXT: #dbg_value(i64 7, ![[INNER:[0-9]+]], !DIExpression(),
; CHECK-NEXT: #dbg_value(ptr %handle, ![[COUNTER]], !DIExpression(DW_OP_plus_uconst, [[#AT_B:]], DW_OP_deref),
; CHECK-NEXT: #dbg_value(ptr %handle, ![[SPLIT:[0-9]+]], !DIExpression(DW_OP_plus_uconst, [[#AT_B]], DW_OP_deref, DW_OP_LLVM_fragment, 0, 64),
; CHECK-NEXT: #dbg_value(i64 8, ![[SPLIT]], !DIExpression(DW_OP_LLVM_fragment, 64, 64),
; CHECK-NEXT: #dbg_value(ptr %handle, ![[HOMED]], !DIExpression(DW_OP_plus_uconst, [[#AT_HOMED]], DW_OP_deref),
; CHECK-NOT: #dbg_
; CHECK: {{^}}resume.entry:

; Destroyed, it comes back at the same places.
; CHECK-LABEL: define internal fastcc void @f.destroy(
; CHECK: {{^}}resume.0:
; CHECK-NEXT: #dbg_label(
; CHECK-NEXT: #dbg_value(ptr %handle, ![[#]], !DIExpression(DW_OP_plus_uconst, [[#]], DW_OP_deref),

; CHECK-DAG: ![[PLACE]] = !DILocalVariable(name: "place"
; CHECK-DAG: ![[COUNTER]] = !DILocalVariable(name: "counter"
; CHECK-DAG: ![[HOMED]] = !DILocalVariable(name: "homed"
; CHECK-DAG: ![[INNER]] = !DILocalVariable(name: "inner"
; CHECK-DAG: ![[SPLIT]] = !DILocalVariable(name: "split"

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define ptr @f(i1 %c) presplitcoroutine !dbg !5 {
entry:
  %place = alloca i64
  %passing = alloca i64
  %homed = alloca i64
    #dbg_value(ptr %place, !10, !DIExpression(DW_OP_deref), !20)
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null), !dbg !20
  %size = call i64 @llvm.coro.size.i64(), !dbg !20
  %memory = call ptr @malloc(i64 %size), !dbg !20
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory), !dbg !20
  call void @keep(ptr %place), !dbg !20
  call void @keep(ptr %passing), !dbg !20
  call void @keep(ptr %homed), !dbg !20
    #dbg_value(i64 5, !13, !DIExpression(), !20)
  store i64 5, ptr %passing, !dbg !20
    #dbg_value(i64 6, !14, !DIExpression(), !20)
  store i64 6, ptr %homed, !dbg !20
  %zero = call i64 @make(i64 0), !dbg !20
    #dbg_value(i64 %zero, !11, !DIExpression(), !20)
    #dbg_value(i64 %zero, !16, !DIExpression(), !20)
  %a = call i64 @make(i64 %zero), !dbg !20
    #dbg_value(i64 %a, !11, !DIExpression(), !20)
  %first = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !21
  switch i8 %first, label %suspend [
    i8 0, label %again
    i8 1, label %cleanup
  ], !dbg !21

again:
  %b = call i64 @make(i64 %a), !dbg !22
    #dbg_value(i64 %b, !11, !DIExpression(), !20)
    #dbg_value(i64 %b, !17, !DIExpression(DW_OP_LLVM_fragment, 0, 64), !20)
    #dbg_value(i64 8, !17, !DIExpression(DW_OP_LLVM_fragment, 64, 64), !20)
    #dbg_value(i64 9, !18, !DIExpression(), !20)
    #dbg_value(i64 8, !18, !DIExpression(DW_OP_LLVM_fragment, 0, 32), !20)
  br i1 %c, label %left, label %right, !dbg !22

left:
    #dbg_value(i64 1, !12, !DIExpression(), !20)
  br label %join, !dbg !22

right:
    #dbg_value(i64 2, !12, !DIExpression(), !20)
  br label %join, !dbg !22

join:
    #dbg_value(i64 7, !15, !DIExpression(), !23)
    #dbg_value(ptr %homed, !14, !DIExpression(DW_OP_deref), !20)
  call void @keep(ptr %homed), !dbg !23
  %second = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !23
  switch i8 %second, label %suspend [
    i8 0, label %end
    i8 1, label %cleanup
  ], !dbg !23

end:
  call i64 @make(i64 %b), !dbg !24
  br label %cleanup, !dbg !24

cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle), !dbg !20
  call void @free(ptr %freed), !dbg !20
  br label %suspend, !dbg !20

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none), !dbg !20
  ret ptr %handle, !dbg !20
}

declare void @keep(ptr)
declare i64 @make(i64)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !4)
!4 = !{null}
!5 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !3, scopeLine: 2, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!6 = distinct !DILexicalBlock(scope: !5, file: !1, line: 8, column: 3)
!7 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!8 = !DIBasicType(name: "wide", size: 128, encoding: DW_ATE_signed)
!10 = !DILocalVariable(name: "place", scope: !5, file: !1, line: 2, type: !7)
!11 = !DILocalVariable(name: "counter", scope: !5, file: !1, line: 2, type: !7)
!12 = !DILocalVariable(name: "either", scope: !5, file: !1, line: 2, type: !7)
!13 = !DILocalVariable(name: "passing", scope: !5, file: !1, line: 2, type: !7)
!14 = !DILocalVariable(name: "homed", scope: !5, file: !1, line: 2, type: !7)
!15 = !DILocalVariable(name: "inner", scope: !6, file: !1, line: 9, type: !7)
!16 = !DILocalVariable(name: "lost", scope: !5, file: !1, line: 2, type: !7)
!17 = !DILocalVariable(name: "split", scope: !5, file: !1, line: 2, type: !8)
!18 = !DILocalVariable(name: "overlapping", scope: !5, file: !1, line: 2, type: !7)
!20 = !DILocation(line: 3, column: 3, scope: !5)
!21 = !DILocation(line: 4, column: 3, scope: !5)
!22 = !DILocation(line: 5, column: 3, scope: !5)
!23 = !DILocation(line: 9, column: 3, scope: !6)
!24 = !DILocation(line: 10, column: 3, scope: !5)
