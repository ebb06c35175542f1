; An optimizer deleted the last store to a variable, because its memory is not read again, and left the record of the
; value. After the second suspend the frame has an older value, so the record is repeated and not the memory.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S | FileCheck %s

; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: {{^}}resume.0:
; CHECK-NEXT: #dbg_label(
; CHECK-NEXT: #dbg_value(ptr %handle, ![[STORED:[0-9]+]], !DIExpression(DW_OP_plus_uconst, [[#]], DW_OP_deref),
; CHECK-NEXT: #dbg_value(ptr %handle, ![[DEAD:[0-9]+]], !DIExpression(DW_OP_plus_uconst, [[#]], DW_OP_deref),
; CHECK: {{^}}resume.1:
; CHECK-NEXT: #dbg_label(
; CHECK-NEXT: #dbg_value(ptr %handle, ![[STORED]], !DIExpression(DW_OP_plus_uconst, [[#]], DW_OP_deref),
; CHECK-NEXT: #dbg_value(i64 9, ![[DEAD]], !DIExpression(),
; CHECK: {{^}}resume.entry:
; CHECK-DAG: !DIDerivedType(tag: DW_TAG_member, name: "dead__suspend_0"
; CHECK-DAG: !DIDerivedType(tag: DW_TAG_member, name: "stored"
; CHECK-DAG: ![[DEAD]] = !DILocalVariable(name: "dead"
; CHECK-DAG: ![[STORED]] = !DILocalVariable(name: "stored"

define ptr @f() presplitcoroutine !dbg !5 {
entry:
  %dead = alloca i64
  %stored = alloca i64
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null), !dbg !8
  %size = call i64 @llvm.coro.size.i64(), !dbg !8
  %memory = call ptr @malloc(i64 %size), !dbg !8
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory), !dbg !8
    #dbg_value(i64 6, !9, !DIExpression(), !8)
  store i64 6, ptr %dead, !dbg !8
    #dbg_value(i64 7, !10, !DIExpression(), !8)
  store i64 7, ptr %stored, !dbg !8
    #dbg_value(ptr %dead, !9, !DIExpression(DW_OP_deref), !8)
  call void @peek(ptr captures(none) %dead), !dbg !8
    #dbg_value(ptr %stored, !10, !DIExpression(DW_OP_deref), !8)
  call void @peek(ptr captures(none) %stored), !dbg !8
  %first = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !8
  switch i8 %first, label %suspend [
    i8 0, label %again
    i8 1, label %cleanup
  ], !dbg !8

again:
  call void @peek(ptr captures(none) %dead), !dbg !8
  call void @peek(ptr captures(none) %stored), !dbg !8
    #dbg_value(i64 9, !9, !DIExpression(), !8)
  %second = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !8
  switch i8 %second, label %suspend [
    i8 0, label %end
    i8 1, label %cleanup
  ], !dbg !8

end:
  call void @peek(ptr captures(none) %stored), !dbg !8
  br label %cleanup, !dbg !8

cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle), !dbg !8
  call void @free(ptr %freed), !dbg !8
  br label %suspend, !dbg !8

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none), !dbg !8
  ret ptr %handle, !dbg !8
}

declare void @peek(ptr captures(none))
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
!5 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !3, scopeLine: 2, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!7 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!8 = !DILocation(line: 3, column: 3, scope: !5)
!9 = !DILocalVariable(name: "dead", scope: !5, file: !1, line: 2, type: !7)
!10 = !DILocalVariable(name: "stored", scope: !5, file: !1, line: 2, type: !7)
