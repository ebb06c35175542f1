; A suspend with line 0 gets no label: LLVM prints one without the line, and cannot parse that.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: opt-22 -passes=verify -disable-output %t.ll
; CHECK: define internal fastcc void @f.resume(
; CHECK-NOT: "__coro_resume_0"
; CHECK: !DILabel({{.*}}"__coro_resume_1", {{.*}}line: 4, column: 3
; CHECK-NOT: "__coro_resume_0"
define ptr @f() presplitcoroutine !dbg !3 {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null), !dbg !6
  %size = call i64 @llvm.coro.size.i64(), !dbg !6
  %memory = call ptr @malloc(i64 %size), !dbg !6
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory), !dbg !6
  %first = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !7
  switch i8 %first, label %suspend [
    i8 0, label %again
    i8 1, label %cleanup
  ], !dbg !7

again:
  call void @use(), !dbg !6
  %second = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !8
  switch i8 %second, label %suspend [
    i8 0, label %cleanup
    i8 1, label %cleanup
  ], !dbg !8

cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle), !dbg !6
  call void @free(ptr %freed), !dbg !6
  br label %suspend, !dbg !6

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none), !dbg !6
  ret ptr %handle, !dbg !6
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @use()

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.cpp", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !5)
!5 = !{null}
!6 = !DILocation(line: 2, column: 3, scope: !3)
!7 = !DILocation(line: 0, column: 3, scope: !3)
!8 = !DILocation(line: 4, column: 3, scope: !3)
