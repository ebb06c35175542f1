; Each resume point has a label, named after its suspend, in the clone's scope: at the location of the await, also in an
; inlined function.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc-22 -filetype=obj %t.ll -o %t.o
; RUN: llvm-dwarfdump-22 --verify %t.o
; RUN: llvm-dwarfdump-22 %t.o | FileCheck %s --check-prefix=DWARF
; REQUIRES: llc, llvm-dwarfdump

; CHECK-LABEL: define ptr @f(
; CHECK-NOT: #dbg_label
; CHECK: define internal fastcc void @f.resume({{.*}} !dbg ![[RESUME:[0-9]+]]
; CHECK: {{^}}resume.0:
; CHECK-NEXT: #dbg_label(![[R0:[0-9]+]], ![[R0_AT:[0-9]+]])
; CHECK: {{^}}resume.1:
; CHECK-NEXT: #dbg_label(![[R1:[0-9]+]], ![[R1_AT:[0-9]+]])
; CHECK: define internal fastcc void @f.destroy({{.*}} !dbg ![[DESTROY:[0-9]+]]
; CHECK: {{^}}resume.0:
; CHECK-NEXT: #dbg_label(![[D0:[0-9]+]], ![[D0_AT:[0-9]+]])
; CHECK: {{^}}resume.1:
; CHECK-NEXT: #dbg_label(![[D1:[0-9]+]],
; CHECK-LABEL: define internal fastcc void @f.cleanup(
; CHECK: {{^}}resume.1:
; CHECK-NEXT: #dbg_label(

; CHECK-DAG: ![[R0]] = !DILabel(scope: ![[RESUME]], name: "__coro_resume_0", file: ![[#]], line: 4, column: 3, isArtificial: true, coroSuspendIdx: 0)
; CHECK-DAG: ![[R0_AT]] = !DILocation(line: 4, column: 3, scope: ![[RESUME]])
; CHECK-DAG: ![[R1]] = !DILabel(scope: ![[RESUME]], name: "__coro_resume_1", file: ![[#]], line: 42, column: 2, isArtificial: true, coroSuspendIdx: 1)
; CHECK-DAG: ![[R1_AT]] = !DILocation(line: 5, column: 6, scope: ![[RESUME]])
; CHECK-DAG: ![[D0]] = !DILabel(scope: ![[DESTROY]], name: "__coro_resume_0", file: ![[#]], line: 4, column: 3, isArtificial: true, coroSuspendIdx: 0)
; CHECK-DAG: ![[D0_AT]] = !DILocation(line: 4, column: 3, scope: ![[DESTROY]])
; CHECK-DAG: ![[D1]] = !DILabel(scope: ![[DESTROY]], name: "__coro_resume_1", file: ![[#]], line: 42, column: 2, isArtificial: true, coroSuspendIdx: 1)

; DWARF: DW_AT_linkage_name ("f.resume")
; DWARF: DW_TAG_label
; DWARF-NEXT: DW_AT_name ("__coro_resume_0")
; DWARF: DW_AT_LLVM_coro_suspend_idx (0x00)
; DWARF: DW_TAG_label
; DWARF-NEXT: DW_AT_name ("__coro_resume_1")
; DWARF: DW_AT_LLVM_coro_suspend_idx (0x01)

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define ptr @f() presplitcoroutine !dbg !5 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null), !dbg !20
  %size = call i64 @llvm.coro.size.i64(), !dbg !20
  %memory = call ptr @malloc(i64 %size), !dbg !20
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory), !dbg !20
  %first = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !21
  switch i8 %first, label %suspend [
    i8 0, label %again
    i8 1, label %cleanup
  ], !dbg !21

again:
  call void @use(), !dbg !20
  %second = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !22
  switch i8 %second, label %suspend [
    i8 0, label %end
    i8 1, label %cleanup
  ], !dbg !22

end:
  call void @use(), !dbg !20
  br label %cleanup, !dbg !20

cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle), !dbg !20
  call void @free(ptr %freed), !dbg !20
  br label %suspend, !dbg !20

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none), !dbg !20
  ret ptr %handle, !dbg !20
}

declare void @use()
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
!5 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !3, scopeLine: 2, spFlags: DISPFlagDefinition, unit: !0)
!6 = distinct !DISubprogram(name: "inner", scope: !1, file: !1, line: 40, type: !3, scopeLine: 40, spFlags: DISPFlagDefinition, unit: !0)
!20 = !DILocation(line: 3, column: 3, scope: !5)
!21 = !DILocation(line: 4, column: 3, scope: !5)
!22 = !DILocation(line: 42, column: 2, scope: !6, inlinedAt: !23)
!23 = distinct !DILocation(line: 5, column: 6, scope: !5)
