; Assignment tracking (clang -O2): while the assigning instruction exists, the variable is in memory and found there
; after every resume. Without it only the value is known, up to the next suspend.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc-22 -O2 -filetype=obj %t.ll -o %t.o
; RUN: llvm-dwarfdump-22 --verify %t.o
; REQUIRES: llc, llvm-dwarfdump

; CHECK-LABEL: define ptr @f(
; CHECK: #dbg_value(ptr %memory, ![[X:[0-9]+]], !DIExpression(DW_OP_plus_uconst, [[#AT_X:]], DW_OP_deref),
; CHECK: #dbg_value(ptr %memory, ![[X]], !DIExpression(DW_OP_plus_uconst, [[#AT_X]], DW_OP_deref),
; CHECK: #dbg_value(ptr %memory, ![[PAIR:[0-9]+]], !DIExpression(DW_OP_plus_uconst, [[#AT_PAIR:]], DW_OP_plus_uconst, 4, DW_OP_deref, DW_OP_LLVM_fragment, 32, 32),
; CHECK: #dbg_value(i32 9, ![[GONE:[0-9]+]], !DIExpression(),
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK-NEXT: entry.resume:
; CHECK-NEXT: #dbg_declare(ptr %handle, ![[R_FRAME:[0-9]+]], !DIExpression(),
; CHECK-NEXT: #dbg_value(ptr %handle, ![[R_X:[0-9]+]], !DIExpression(DW_OP_plus_uconst, [[#AT_X]], DW_OP_deref),
; CHECK-NEXT: #dbg_value(ptr %handle, ![[R_PAIR:[0-9]+]], !DIExpression(DW_OP_plus_uconst, [[#AT_PAIR]], DW_OP_plus_uconst, 4, DW_OP_deref, DW_OP_LLVM_fragment, 32, 32),
; CHECK-NOT: #dbg_value
; CHECK: {{^}}resume.entry:
; CHECK-NOT: #dbg_assign
; CHECK-DAG: ![[X]] = !DILocalVariable(name: "x"
; CHECK-DAG: ![[R_FRAME]] = !DILocalVariable(name: "__coro_frame"
; CHECK-DAG: ![[R_X]] = !DILocalVariable(name: "x"
; CHECK-DAG: ![[PAIR]] = !DILocalVariable(name: "pair"
; CHECK-DAG: ![[R_PAIR]] = !DILocalVariable(name: "pair"
; CHECK-DAG: ![[GONE]] = !DILocalVariable(name: "gone"

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define ptr @f() presplitcoroutine !dbg !5 {
entry:
  %0 = alloca i32, !DIAssignID !30
  %1 = alloca [2 x i32]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null), !dbg !20
  %size = call i64 @llvm.coro.size.i64(), !dbg !20
  %memory = call ptr @malloc(i64 %size), !dbg !20
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory), !dbg !20
    #dbg_assign(i1 poison, !10, !DIExpression(), !30, ptr %0, !DIExpression(), !20)
  store i32 1, ptr %0, !dbg !20, !DIAssignID !31
    #dbg_assign(i32 1, !10, !DIExpression(), !31, ptr %0, !DIExpression(), !20)
  %second = getelementptr [2 x i32], ptr %1, i64 0, i64 1
  store i32 2, ptr %second, !dbg !20, !DIAssignID !32
    #dbg_assign(i32 2, !11, !DIExpression(DW_OP_LLVM_fragment, 32, 32), !32, ptr %second, !DIExpression(), !20)
    #dbg_assign(i32 9, !12, !DIExpression(), !33, ptr %1, !DIExpression(), !20)
  call void @keep(ptr %0), !dbg !20
  call void @keep(ptr %1), !dbg !20
  %result = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !20
  switch i8 %result, label %suspend [
    i8 0, label %end
    i8 1, label %cleanup
  ], !dbg !20

end:
  call void @keep(ptr %0), !dbg !20
  call void @keep(ptr %1), !dbg !20
  br label %cleanup, !dbg !20

cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle), !dbg !20
  call void @free(ptr %freed), !dbg !20
  br label %suspend, !dbg !20

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none), !dbg !20
  ret ptr %handle, !dbg !20
}

declare void @keep(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !8}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !4)
!4 = !{null}
!5 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !3, scopeLine: 2, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!6 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!7 = !DIBasicType(name: "two", size: 64, encoding: DW_ATE_signed)
!8 = !{i32 7, !"debug-info-assignment-tracking", i1 true}
!10 = !DILocalVariable(name: "x", scope: !5, file: !1, line: 2, type: !6)
!11 = !DILocalVariable(name: "pair", scope: !5, file: !1, line: 2, type: !7)
!12 = !DILocalVariable(name: "gone", scope: !5, file: !1, line: 2, type: !6)
!20 = !DILocation(line: 3, column: 3, scope: !5)
!30 = distinct !DIAssignID()
!31 = distinct !DIAssignID()
!32 = distinct !DIAssignID()
!33 = distinct !DIAssignID()
