; The frame's type in optimized code: bytes of a field are called like a source variable, or like a member of one, if they
; have its value at every suspend where the variable is in scope. If they have it only at some suspends, or if there are
; two variables of that name, the names end in the suspend's index.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup' -S -o %t.ll
; RUN: llc-22 -filetype=obj %t.ll -o %t.o
; RUN: llvm-dwarfdump-22 --verify %t.o
; RUN: llvm-dwarfdump-22 --name='f.coro_frame_ty' -c %t.o -o %t.txt
; RUN: FileCheck %s < %t.txt
; RUN: FileCheck %s --check-prefix=NAMES < %t.txt
; REQUIRES: llc, llvm-dwarfdump

; The clone that resumes is not entered after the final suspend, where %awaiter has the bytes of most variables.
; CHECK: DW_AT_name ("f.coro_frame_ty")
; CHECK: DW_AT_name ("__destroy_fn")
; CHECK: DW_AT_name ("bound")
; CHECK: DW_AT_data_member_location ([[VIEW:.*]])
; CHECK: DW_AT_name ("pointed")
; CHECK: DW_AT_data_member_location ([[VIEW]])
; CHECK: DW_AT_name ("_0")
; CHECK-NEXT: DW_AT_type ({{.*}} "UnknownType[40]")
; CHECK: DW_AT_name ("pair.inner")
; CHECK-NEXT: DW_AT_type ({{.*}} "inner")
; CHECK: DW_AT_name ("param")
; CHECK-NEXT: DW_AT_type ({{.*}} "int")
; CHECK: DW_AT_data_member_location ([[PARAM:.*]])
; CHECK: DW_AT_name ("pair.second")
; CHECK-NEXT: DW_AT_type ({{.*}} "count")
; CHECK: DW_AT_name ("narrow")
; CHECK-NEXT: DW_AT_type ({{.*}} "short")

; `changed` is in two fields, in one of them together with a `homonym` of another block.
; CHECK: DW_AT_name ("changed__suspend_0")
; CHECK: DW_AT_name ("__float__1")
; CHECK: DW_AT_name ("changed__suspend_1")
; CHECK: DW_AT_data_member_location ([[NEW:.*]])
; CHECK: DW_AT_name ("changed__suspend_2")
; CHECK: DW_AT_data_member_location ([[NEW]])
; CHECK: DW_AT_name ("homonym__suspend_1")
; CHECK: DW_AT_data_member_location ([[NEW]])
; CHECK: DW_AT_name ("homonym__suspend_2")
; CHECK: DW_AT_data_member_location ([[OTHER:.*]])
; CHECK: DW_AT_name ("local")
; CHECK: DW_AT_data_member_location ([[OTHER]])
; CHECK: DW_AT_name ("__coro_index")

; CHECK: DW_AT_name ("f.coro_frame_ty")
; CHECK: DW_AT_name ("bound")
; CHECK: DW_AT_name ("pair.inner__before_final")
; CHECK: DW_AT_name ("param__before_final")
; CHECK: DW_AT_data_member_location ([[PARAM]])
; CHECK: DW_AT_name ("changed__suspend_0")

; Neither an expression of a value nor the low half of a variable is the variable.
; NAMES-NOT: DW_AT_name ("{{wide|computed}}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define ptr @f(i32 %param) presplitcoroutine !dbg !5 {
entry:
  %awaiter = alloca [40 x i8]
  %view = alloca { i32, i32 }
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null), !dbg !20
  %size = call i64 @llvm.coro.size.i64(), !dbg !20
  %memory = call ptr @malloc(i64 %size), !dbg !20
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory), !dbg !20
    #dbg_value(i32 %param, !30, !DIExpression(), !20)
  %second = call i32 @make(), !dbg !20
    #dbg_value(i32 %second, !31, !DIExpression(DW_OP_LLVM_fragment, 32, 32), !20)
  %deep = call i64 @make64(), !dbg !20
    #dbg_value(i64 %deep, !31, !DIExpression(DW_OP_LLVM_fragment, 64, 64), !20)
  %word = call i32 @make(), !dbg !20
    #dbg_value(i32 %word, !32, !DIExpression(), !20)
    #dbg_value(i32 %word, !33, !DIExpression(), !20)
    #dbg_value(i32 %word, !34, !DIExpression(DW_OP_plus_uconst, 1, DW_OP_stack_value), !20)
  %part = getelementptr i8, ptr %view, i64 4
    #dbg_value(ptr %view, !35, !DIExpression(DW_OP_plus_uconst, 4, DW_OP_deref), !20)
    #dbg_value(ptr %part, !36, !DIExpression(DW_OP_deref), !20)
  call void @keep(ptr %view), !dbg !20
  %old = call i32 @make(), !dbg !20
    #dbg_value(i32 %old, !37, !DIExpression(), !20)
  %nameless = call float @makef(), !dbg !20
  %r0 = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !20
  switch i8 %r0, label %suspend [
    i8 0, label %first
    i8 1, label %cleanup
  ], !dbg !20

first:
  %new = call i32 @make(), !dbg !20
    #dbg_value(i32 %new, !37, !DIExpression(), !20)
    #dbg_value(i32 %new, !38, !DIExpression(), !21)
  %r1 = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !21
  switch i8 %r1, label %suspend [
    i8 0, label %second.block
    i8 1, label %cleanup
  ], !dbg !21

second.block:
  %other = call i32 @make(), !dbg !20
    #dbg_value(i32 %other, !39, !DIExpression(), !22)
    #dbg_value(i32 %other, !40, !DIExpression(), !22)
  %r2 = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !22
  switch i8 %r2, label %suspend [
    i8 0, label %last
    i8 1, label %cleanup
  ], !dbg !22

last:
  call void @use(i32 %param, i32 %second, i64 %deep, i32 %word, i32 %old, i32 %new, i32 %other, float %nameless), !dbg !20
  call void @keep(ptr %view), !dbg !20
  call void @llvm.lifetime.start.p0(ptr %awaiter)
  call void @keep(ptr %awaiter), !dbg !20
  %r3 = call i8 @llvm.coro.suspend(token none, i1 true), !dbg !20
  switch i8 %r3, label %suspend [
    i8 0, label %never
    i8 1, label %cleanup
  ], !dbg !20

never:
  unreachable

cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle), !dbg !20
  call void @free(ptr %freed), !dbg !20
  br label %suspend, !dbg !20

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none), !dbg !20
  ret ptr %handle, !dbg !20
}

declare void @keep(ptr)
declare i32 @make()
declare i64 @make64()
declare float @makef()
declare void @use(i32, i32, i64, i32, i32, i32, i32, float)
declare void @llvm.lifetime.start.p0(ptr)
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
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.cpp", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !4)
!4 = !{null}
!5 = distinct !DISubprogram(name: "f", linkageName: "_f", scope: !1, file: !1, line: 1, type: !3, scopeLine: 2, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!6 = distinct !DILexicalBlock(scope: !5, file: !1, line: 4, column: 3)
!7 = distinct !DILexicalBlock(scope: !5, file: !1, line: 6, column: 3)
!8 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!9 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!10 = !DIBasicType(name: "short", size: 16, encoding: DW_ATE_signed)
!11 = !DIDerivedType(tag: DW_TAG_typedef, name: "count", baseType: !8)
!12 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "pair", file: !1, size: 128, elements: !13)
!13 = !{!14, !15, !17}
!14 = !DIDerivedType(tag: DW_TAG_member, name: "first", scope: !12, baseType: !8, size: 32)
!15 = !DIDerivedType(tag: DW_TAG_member, name: "second", scope: !12, baseType: !11, size: 32, offset: 32)
!16 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "inner", file: !1, size: 64, elements: !18)
!17 = !DIDerivedType(tag: DW_TAG_member, name: "inner", scope: !12, baseType: !16, size: 64, offset: 64)
!18 = !{!19}
!19 = !DIDerivedType(tag: DW_TAG_member, name: "deep", scope: !16, baseType: !9, size: 64)
!20 = !DILocation(line: 3, column: 3, scope: !5)
!21 = !DILocation(line: 5, column: 5, scope: !6)
!22 = !DILocation(line: 7, column: 5, scope: !7)
!30 = !DILocalVariable(name: "param", arg: 1, scope: !5, file: !1, line: 1, type: !8)
!31 = !DILocalVariable(name: "pair", scope: !5, file: !1, line: 2, type: !12)
!32 = !DILocalVariable(name: "narrow", scope: !5, file: !1, line: 2, type: !10)
!33 = !DILocalVariable(name: "wide", scope: !5, file: !1, line: 2, type: !9)
!34 = !DILocalVariable(name: "computed", scope: !5, file: !1, line: 2, type: !8)
!35 = !DILocalVariable(name: "bound", scope: !5, file: !1, line: 2, type: !8)
!36 = !DILocalVariable(name: "pointed", scope: !5, file: !1, line: 2, type: !8)
!37 = !DILocalVariable(name: "changed", scope: !5, file: !1, line: 2, type: !8)
!38 = !DILocalVariable(name: "homonym", scope: !6, file: !1, line: 5, type: !8)
!39 = !DILocalVariable(name: "homonym", scope: !7, file: !1, line: 7, type: !8)
!40 = !DILocalVariable(name: "local", scope: !7, file: !1, line: 7, type: !8)
