; With line tables only there are no labels and no variable for the frame, which DWARF could not express.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc-22 -filetype=obj %t.ll -o %t.o
; RUN: llvm-dwarfdump-22 --verify %t.o
; REQUIRES: llc, llvm-dwarfdump

; CHECK: define internal fastcc void @f.resume(
; CHECK: call void @use({{.*}}, !dbg
; CHECK-NOT: #dbg_label
; CHECK-NOT: __coro_frame
; CHECK: linkageName: "f.resume"

define ptr @f(i32 %n, ptr %this) presplitcoroutine !dbg !5 {
entry:
  %promise = alloca i32
  %kept = alloca [2 x i32]
  %short = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null), !dbg !20
  %size = call i64 @llvm.coro.size.i64(), !dbg !20
  %memory = call ptr @malloc(i64 %size), !dbg !20
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory), !dbg !20
  %second = getelementptr [2 x i32], ptr %kept, i32 0, i32 1
  call void @use(ptr %kept), !dbg !20
  %result = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !22
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ], !dbg !22

resume:
  %twice = mul i32 %n, 2, !dbg !23
  store i32 %twice, ptr %short, !dbg !23
  store i32 %twice, ptr %promise, !dbg !23
  store i32 %twice, ptr %this, !dbg !23
  call void @use(ptr %short), !dbg !23
  call void @use(ptr %kept), !dbg !23
  br label %cleanup, !dbg !23

cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle), !dbg !20
  call void @free(ptr %freed), !dbg !20
  br label %suspend, !dbg !20

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none), !dbg !20
  ret ptr %handle, !dbg !20
}

declare void @use(ptr)

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
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "f.cpp", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !4)
!4 = !{null}
!5 = distinct !DISubprogram(name: "f", linkageName: "_f", scope: !1, file: !1, line: 1, type: !3, scopeLine: 2, spFlags: DISPFlagDefinition, unit: !0)
!6 = distinct !DILexicalBlock(scope: !5, file: !1, line: 4, column: 3)
!7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!8 = !DICompositeType(tag: DW_TAG_array_type, baseType: !7, size: 64, elements: !9)
!9 = !{!DISubrange(count: 2)}
!20 = !DILocation(line: 3, column: 3, scope: !5)
!21 = !DILocation(line: 5, column: 5, scope: !6)
!22 = !DILocation(line: 4, column: 1, scope: !5)
!23 = !DILocation(line: 6, column: 5, scope: !6)
