; When a select becomes a branch, the block of the loop is split. Debug records remain at the instructions before which
; they stood: a variable must not have a value before that is computed, or one of an instruction that is skipped now.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-cleanup %s | FileCheck %s

declare i32 @llvm.fshl.i32(i32, i32, i32)

; The first parts are new blocks with copies of their records. A record of a value that the branch skips, and one of
; several values, has no location in them.
; CHECK-LABEL: define i32 @two_selects(
; CHECK: loop:
; CHECK-NEXT: %kept = phi i32 [ 0, %entry ], [ %next, %[[LAST:.*]] ]
; CHECK-NEXT: %i = phi i32 [ 0, %entry ], [ %following, %[[LAST]] ]
; CHECK-NEXT: #dbg_value(i32 %i, [[I:![0-9]+]], !DIExpression(), [[AT:![0-9]+]])
; CHECK-NEXT: %rest = urem i32 %i, 3
; CHECK-NEXT: #dbg_value(i32 poison, [[REST:![0-9]+]], !DIExpression(
; CHECK-NEXT: %accepted = icmp eq i32 %rest, 0
; CHECK-NEXT: freeze
; CHECK-NEXT: br i1
; CHECK: computed:
; CHECK-NEXT: %rotated = call
; CHECK-NEXT: %sum = add i32 %rotated, %i
; CHECK-NEXT: br label %[[FIRST:.*]], !dbg
; CHECK: [[FIRST]]:
; CHECK-NEXT: %first = phi i32 [ %sum, %computed ], [ %kept, %loop ]
; CHECK-NEXT: #dbg_value(i32 poison, [[SUM:![0-9]+]], !DIExpression(), [[AT]])
; CHECK-NEXT: #dbg_value(i32 %first, [[KEPT:![0-9]+]], !DIExpression(), [[AT]])
; CHECK-NEXT: freeze
; CHECK-NEXT: br i1
; CHECK: computed{{[0-9]+}}:
; CHECK-NEXT: %tripled = mul
; CHECK-NEXT: %second = add
; CHECK-NEXT: br label %[[LAST]]
; The records themselves are at the start of the last part, once each: there the variables still have these values.
; CHECK: [[LAST]]:
; CHECK-NEXT: %next = phi i32
; CHECK-NEXT: #dbg_value(i32 %i, [[I]], !DIExpression(), [[AT]])
; CHECK-NEXT: #dbg_value(!DIArgList(i32 %rest, i32 %i), [[REST]]
; CHECK-NEXT: #dbg_value(i32 poison, [[SUM]]
; CHECK-NEXT: #dbg_value(i32 %first, [[KEPT]]
; CHECK-NEXT: #dbg_value(i32 %next, [[KEPT]], !DIExpression(), [[AT]])
; CHECK-NEXT: %following = add i32 %i, 1
; CHECK-NEXT: #dbg_value(i32 %following, [[I]], !DIExpression(), [[AT]])
; CHECK-NEXT: %more
define i32 @two_selects(i32 %n) "pycoro-drives-elided" !dbg !4 {
entry:
  br label %loop, !dbg !12
loop:
  %kept = phi i32 [ 0, %entry ], [ %next, %loop ]
  %i = phi i32 [ 0, %entry ], [ %following, %loop ]
    #dbg_value(i32 %i, !8, !DIExpression(), !12)
  %rest = urem i32 %i, 3, !dbg !12
    #dbg_value(!DIArgList(i32 %rest, i32 %i), !9, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value), !12)
  %accepted = icmp eq i32 %rest, 0, !dbg !12
  %rotated = call i32 @llvm.fshl.i32(i32 %kept, i32 %kept, i32 1), !dbg !12
  %sum = add i32 %rotated, %i, !dbg !12
    #dbg_value(i32 %sum, !10, !DIExpression(), !12)
  %first = select i1 %accepted, i32 %sum, i32 %kept, !dbg !12
    #dbg_value(i32 %first, !11, !DIExpression(), !12)
  %tripled = mul i32 %first, 3, !dbg !12
  %second = add i32 %tripled, %i, !dbg !12
  %next = select i1 %accepted, i32 %second, i32 %first, !dbg !12
    #dbg_value(i32 %next, !11, !DIExpression(), !12)
  %following = add i32 %i, 1, !dbg !12
    #dbg_value(i32 %following, !8, !DIExpression(), !12)
  %more = icmp slt i32 %following, %n, !dbg !12
  br i1 %more, label %loop, label %end, !dbg !12
end:
  ret i32 %next, !dbg !12
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, isOptimized: true, emissionKind: FullDebug)
!1 = !DIFile(filename: "loop.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !7)
!4 = distinct !DISubprogram(name: "two_selects", scope: !1, file: !1, line: 1, type: !3, unit: !0, retainedNodes: !6)
!5 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!6 = !{!8, !9, !10, !11}
!7 = !{!5, !5}
!8 = !DILocalVariable(name: "i", scope: !4, file: !1, line: 2, type: !5)
!9 = !DILocalVariable(name: "rest", scope: !4, file: !1, line: 3, type: !5)
!10 = !DILocalVariable(name: "sum", scope: !4, file: !1, line: 4, type: !5)
!11 = !DILocalVariable(name: "kept", scope: !4, file: !1, line: 5, type: !5)
!12 = !DILocation(line: 6, scope: !4)
