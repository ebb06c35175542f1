; LLVM's inliner moves an entry value record into a function where it refers to another value, which LLVM's verifier
; rejects. The record becomes one of that value; the value's other records stay.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='cgscc(inline)' %s -o - | FileCheck %s

; CHECK-LABEL: define swifttailcc void @part(ptr swiftasync %context
; CHECK: #dbg_declare(ptr %context, ![[#]], !DIExpression(DW_OP_LLVM_entry_value, 1, DW_OP_plus_uconst, 24), ![[#]])
; CHECK: #dbg_value(ptr %context, ![[#]], !DIExpression(DW_OP_LLVM_entry_value, 1), ![[#]])

; CHECK-LABEL: define void @caller(
; CHECK: %given = call ptr @give()
; CHECK: %other = call ptr @give()
; CHECK: #dbg_value(ptr %given, ![[#OWN:]], !DIExpression(), ![[#]])
; CHECK: #dbg_declare(ptr %given, ![[#]], !DIExpression(DW_OP_plus_uconst, 24), ![[#]])
; CHECK: #dbg_value(ptr %given, ![[#]], !DIExpression(), ![[#]])
; CHECK: call void @say(i32 1)
; CHECK: #dbg_value(ptr %given, ![[#OWN]], !DIExpression(DW_OP_plus_uconst, 8, DW_OP_stack_value), ![[#]])
; CHECK: call void @use(ptr %given)
; What is said of the variable last before an instruction holds as before; no record of several values is half one.
; CHECK: #dbg_value(!DIArgList(ptr {{poison|undef}}, ptr %other), ![[#]], !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value), ![[#]])
; CHECK-NEXT: call void @say(i32 2)
; CHECK: #dbg_value(ptr %other, ![[#OWN]], !DIExpression(), ![[#]])
; CHECK-NEXT: call void @say(i32 3)

; A function that has the value from its own `swiftasync` parameter goes on to name the entry value.
; CHECK-LABEL: define swifttailcc void @tail(ptr swiftasync %own
; CHECK: #dbg_declare(ptr %own, ![[#]], !DIExpression(DW_OP_LLVM_entry_value, 1, DW_OP_plus_uconst, 24), ![[#]])
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @say(i32)
declare void @use(ptr)
declare ptr @give()

define swifttailcc void @part(ptr swiftasync %context) !dbg !4 {
    #dbg_declare(ptr %context, !7, !DIExpression(DW_OP_LLVM_entry_value, 1, DW_OP_plus_uconst, 24), !9)
    #dbg_value(ptr %context, !8, !DIExpression(DW_OP_LLVM_entry_value, 1), !9)
  call void @say(i32 1), !dbg !9
  ret void, !dbg !9
}

define void @caller() !dbg !11 {
  %given = call ptr @give(), !dbg !12
  %other = call ptr @give(), !dbg !12
    #dbg_value(ptr %given, !13, !DIExpression(), !12)
  call swifttailcc void @part(ptr swiftasync %given), !dbg !12
    #dbg_value(ptr %given, !13, !DIExpression(DW_OP_plus_uconst, 8, DW_OP_stack_value), !12)
  call void @use(ptr %given), !dbg !12
    #dbg_value(!DIArgList(ptr %given, ptr %other), !13, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value), !12)
  call void @say(i32 2), !dbg !12
    #dbg_value(ptr %given, !13, !DIExpression(), !12)
    #dbg_value(ptr %other, !13, !DIExpression(), !12)
  call void @say(i32 3), !dbg !12
  ret void, !dbg !12
}

define swifttailcc void @tail(ptr swiftasync %own) !dbg !14 {
  call swifttailcc void @part(ptr swiftasync %own), !dbg !15
  ret void, !dbg !15
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, producer: "x", isOptimized: true, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{i32 7, !"Dwarf Version", i32 5}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "part", scope: !1, file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocalVariable(name: "a", scope: !4, file: !1, line: 2, type: !10)
!8 = !DILocalVariable(name: "b", scope: !4, file: !1, line: 2, type: !10)
!9 = !DILocation(line: 2, scope: !4)
!10 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!11 = distinct !DISubprogram(name: "caller", scope: !1, file: !1, line: 5, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!12 = !DILocation(line: 6, scope: !11)
!13 = !DILocalVariable(name: "given", scope: !11, file: !1, line: 6, type: !10)
!14 = distinct !DISubprogram(name: "tail", scope: !1, file: !1, line: 9, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!15 = !DILocation(line: 9, scope: !14)
