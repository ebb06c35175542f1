; A clone declares the variables of the calls whose inlined code it contains. Declared in every clone, they would multiply
; at each link of a chain of coroutines whose cleanup functions are inlined into each other.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-early,coro-split %s -o - | FileCheck %s

; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: #dbg_value({{.*}}, ![[#VARIABLE:]], !DIExpression(DW_OP_plus_uconst, 16, DW_OP_deref), ![[#RESUMED:]])
; CHECK-NOT: #dbg_value({{.*}}, ![[#VARIABLE]],
; CHECK: call void @use(

; CHECK-LABEL: define internal fastcc void @f.destroy(
; CHECK: #dbg_value({{.*}}, ![[#VARIABLE]], !DIExpression(DW_OP_plus_uconst, 16, DW_OP_deref), ![[#DESTROYED:]])
; CHECK-NOT: #dbg_value({{.*}}, ![[#VARIABLE]],
; CHECK: call void @use(

; CHECK-LABEL: define internal fastcc void @f.cleanup(
; CHECK: #dbg_value({{.*}}, ![[#VARIABLE]], !DIExpression(DW_OP_plus_uconst, 16, DW_OP_deref), ![[#]])
; CHECK-NOT: #dbg_value({{.*}}, ![[#VARIABLE]],
; CHECK: call void @use(

; CHECK-DAG: ![[#RESUMED]] = !DILocation(line: 3, {{.*}}inlinedAt: ![[#AT:]])
; CHECK-DAG: ![[#AT]] = distinct !DILocation(line: 10,
; CHECK-DAG: ![[#DESTROYED]] = !DILocation(line: 3, {{.*}}inlinedAt: ![[#OTHER:]])
; CHECK-DAG: ![[#OTHER]] = distinct !DILocation(line: 11,
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define ptr @f() presplitcoroutine !dbg !4 {
entry:
  %slot = alloca i64
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null), !dbg !9
  %size = call i64 @llvm.coro.size.i64(), !dbg !9
  %memory = call ptr @malloc(i64 %size), !dbg !9
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory), !dbg !9
  store i64 1, ptr %slot, !dbg !9
  call void @use(ptr %slot), !dbg !9
  %s = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !9
  switch i8 %s, label %suspended [
    i8 0, label %resumed
    i8 1, label %destroyed
  ], !dbg !9

resumed:
    #dbg_declare(ptr %slot, !8, !DIExpression(), !11)
  call void @use(ptr %slot), !dbg !11
  br label %free, !dbg !9

destroyed:
    #dbg_declare(ptr %slot, !8, !DIExpression(), !13)
  call void @use(ptr %slot), !dbg !13
  br label %free, !dbg !9

free:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle), !dbg !9
  call void @free(ptr %freed), !dbg !9
  br label %suspended, !dbg !9

suspended:
  call void @llvm.coro.end(ptr %handle, i1 false, token none), !dbg !9
  ret ptr %handle, !dbg !9
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @use(ptr)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "test", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.cpp", directory: "/")
!2 = !DISubroutineType(types: !{})
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 8, type: !2, scopeLine: 8, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!5 = distinct !DISubprogram(name: "inlined", scope: !1, file: !1, line: 1, type: !2, scopeLine: 1, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !6)
!6 = !{!8}
!7 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!8 = !DILocalVariable(name: "counted", scope: !5, file: !1, line: 2, type: !7)
!9 = !DILocation(line: 9, scope: !4)
!10 = distinct !DILocation(line: 10, scope: !4)
!11 = !DILocation(line: 3, scope: !5, inlinedAt: !10)
!12 = distinct !DILocation(line: 11, scope: !4)
!13 = !DILocation(line: 3, scope: !5, inlinedAt: !12)
