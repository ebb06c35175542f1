; Every clone has a separate subprogram, named after the clone, with separate lexical blocks; source names and inlined
; calls are unchanged. Loop metadata is copied too, also where LLVM's passes moved it to a call.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc-22 -filetype=obj %t.ll -o %t.o
; RUN: llvm-dwarfdump-22 --verify %t.o
; REQUIRES: llc, llvm-dwarfdump

; CHECK: define ptr @f({{.*}} !dbg ![[F:[0-9]+]]
; CHECK: define internal fastcc void @f.resume({{.*}} !dbg ![[RESUME:[0-9]+]]
; CHECK: call void @work(i32 1), !dbg ![[INNER:[0-9]+]], !llvm.loop ![[LEFT:[0-9]+]]
; CHECK: call void @work(i32 2), !dbg ![[INLINED:[0-9]+]]
; CHECK: call void @work(i32 3), !dbg ![[SECOND:[0-9]+]]
; CHECK: br {{.*}}!llvm.loop ![[LOOP:[0-9]+]]
; CHECK: define internal fastcc void @f.destroy({{.*}} !dbg ![[DESTROY:[0-9]+]]
; CHECK: define internal fastcc void @f.cleanup({{.*}} !dbg ![[CLEANUP:[0-9]+]]

; CHECK-DAG: ![[F]] = distinct !DISubprogram(name: "f", linkageName: "_f", scope: ![[FILE:[0-9]+]], file: ![[FILE]], line: 1, type: ![[TYPE:[0-9]+]], scopeLine: 2, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: ![[UNIT:[0-9]+]]
; CHECK-DAG: ![[RESUME]] = distinct !DISubprogram(name: "f", linkageName: "f.resume", scope: ![[FILE]], file: ![[FILE]], line: 1, type: ![[TYPE]], scopeLine: 2, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: ![[UNIT]]
; CHECK-DAG: ![[DESTROY]] = distinct !DISubprogram(name: "f", linkageName: "f.destroy"
; CHECK-DAG: ![[CLEANUP]] = distinct !DISubprogram(name: "f", linkageName: "f.cleanup"
; CHECK-DAG: ![[INNER]] = !DILocation(line: 5, column: 7, scope: ![[BLOCK:[0-9]+]])
; CHECK-DAG: ![[BLOCK]] = distinct !DILexicalBlock(scope: ![[RESUME]], file: ![[FILE]], line: 4, column: 3)
; CHECK-DAG: ![[INLINED]] = !DILocation(line: 20, column: 1, scope: ![[G:[0-9]+]], inlinedAt: ![[AT:[0-9]+]])
; CHECK-DAG: ![[SECOND]] = !DILocation(line: 20, column: 1, scope: ![[G]], inlinedAt: ![[AT2:[0-9]+]])
; CHECK-DAG: ![[AT]] = distinct !DILocation(line: 6, column: 3, scope: ![[BLOCK]])
; CHECK-DAG: ![[AT2]] = distinct !DILocation(line: 6, column: 3, scope: ![[BLOCK]])
; CHECK-DAG: ![[G]] = distinct !DISubprogram(name: "g"
; CHECK-DAG: ![[LOOP]] = distinct !{![[LOOP]], ![[FROM:[0-9]+]], ![[MUST:[0-9]+]]}
; CHECK-DAG: ![[LEFT]] = distinct !{![[LEFT]], ![[FROM]], ![[MUST]]}
; CHECK-DAG: ![[FROM]] = !DILocation(line: 4, column: 1, scope: ![[RESUME]])
; CHECK-DAG: ![[MUST]] = !{!"llvm.loop.mustprogress"}

target triple = "x86_64-unknown-linux-gnu"

define ptr @f() presplitcoroutine !dbg !5 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null), !dbg !8
  %size = call i64 @llvm.coro.size.i64(), !dbg !8
  %memory = call ptr @malloc(i64 %size), !dbg !8
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory), !dbg !8
  br label %loop, !dbg !8

loop:
  %result = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !9
  switch i8 %result, label %suspend [
    i8 0, label %body
    i8 1, label %cleanup
  ], !dbg !9

body:
  call void @work(i32 1), !dbg !11, !llvm.loop !16
  call void @work(i32 2), !dbg !12
  call void @work(i32 3), !dbg !13
  br label %loop, !dbg !8, !llvm.loop !16

cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle), !dbg !8
  call void @free(ptr %freed), !dbg !8
  br label %suspend, !dbg !8

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none), !dbg !8
  ret ptr %handle, !dbg !8
}

declare void @work(i32)

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
!5 = distinct !DISubprogram(name: "f", linkageName: "_f", scope: !1, file: !1, line: 1, type: !3, scopeLine: 2, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0)
!6 = distinct !DISubprogram(name: "g", scope: !1, file: !1, line: 19, type: !3, scopeLine: 19, spFlags: DISPFlagDefinition, unit: !0)
!7 = distinct !DILexicalBlock(scope: !5, file: !1, line: 4, column: 3)
!8 = !DILocation(line: 3, column: 3, scope: !5)
!9 = !DILocation(line: 4, column: 1, scope: !5)
!11 = !DILocation(line: 5, column: 7, scope: !7)
!12 = !DILocation(line: 20, column: 1, scope: !6, inlinedAt: !14)
!13 = !DILocation(line: 20, column: 1, scope: !6, inlinedAt: !15)
!14 = distinct !DILocation(line: 6, column: 3, scope: !7)
!15 = distinct !DILocation(line: 6, column: 3, scope: !7)
!16 = distinct !{!16, !9, !17}
!17 = !{!"llvm.loop.mustprogress"}
