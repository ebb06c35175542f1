; A variable in an async frame is found through the entry value of the context register where available; elsewhere the
; clone saves the frame's address for the debugger.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %s -o - | FileCheck %s

; CHECK-LABEL: define swifttailcc void @f(ptr swiftasync %context
; CHECK: #dbg_declare(ptr %context, ![[#]], !DIExpression(DW_OP_plus_uconst, 24), ![[#]])

; CHECK-LABEL: define internal swifttailcc void @f.resume.0(ptr swiftasync %0
; CHECK: #dbg_declare(ptr %0, ![[#]], !DIExpression(DW_OP_LLVM_entry_value, 1, DW_OP_plus_uconst, 24), ![[#]])

; CHECK-LABEL: define internal swifttailcc void @f.resume.1(ptr swiftasync %0
; CHECK: load ptr, ptr %0
; CHECK: #dbg_declare(ptr %0, ![[#]], !DIExpression(DW_OP_LLVM_entry_value, 1, DW_OP_deref, DW_OP_plus_uconst, 24), ![[#]])

; The projection does something else.
; CHECK-LABEL: define internal swifttailcc void @f.resume.2(ptr swiftasync %0
; CHECK: %[[KEPT:.*]] = alloca ptr
; CHECK: %[[FRAME:.*]] = getelementptr inbounds i8, ptr %{{.*}}, i64 16
; CHECK: #dbg_declare(ptr %[[KEPT]], ![[#]], !DIExpression(DW_OP_deref, DW_OP_plus_uconst, 8), ![[#]])
; CHECK: store ptr %[[FRAME]], ptr %[[KEPT]]

; What is copied in stands where the suspend does.
; A part begins at the first line behind its suspend.
; CHECK-LABEL: !DISubprogram(name: "f", linkageName: "f.resume.0"
; CHECK-SAME: line: 1,{{.*}} scopeLine: 3,
; CHECK: !DILocation(line: 20, scope: ![[#CALLEE:]], inlinedAt: ![[#]])
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define swifttailcc void @f(ptr swiftasync %context, i64 %n) !dbg !5 {
  %first = alloca i64
  %variable = alloca i64
    #dbg_declare(ptr %variable, !8, !DIExpression(), !9)
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @f.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  store i64 %n, ptr %first
  store i64 %n, ptr %variable
  %a = call ptr @llvm.coro.async.resume(), !dbg !9
  %came = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %a, ptr @same, ptr @go, ptr %context, ptr %a), !dbg !10
  call void @use(ptr %first, ptr %variable), !dbg !10
  %b = call ptr @llvm.coro.async.resume(), !dbg !9
  %came.1 = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %b, ptr @behind, ptr @go, ptr %context, ptr %b), !dbg !11
  call void @use(ptr %first, ptr %variable), !dbg !11
  %c = call ptr @llvm.coro.async.resume(), !dbg !9
  %came.2 = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %c, ptr @aside, ptr @go, ptr %context, ptr %c), !dbg !11
  call void @use(ptr %first, ptr %variable), !dbg !11
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false), !dbg !11
  unreachable
}

define ptr @same(ptr %context) {
  ret ptr %context
}
define ptr @behind(ptr %context) {
  %own = load ptr, ptr %context
  ret ptr %own
}
define ptr @aside(ptr %context) {
  %own = getelementptr i8, ptr %context, i64 64
  ret ptr %own
}
define swifttailcc void @go(ptr %context, ptr %back) !dbg !12 {
  musttail call swifttailcc void @next(ptr swiftasync %context, ptr %back), !dbg !13
  ret void, !dbg !13
}

@f.fp = global <{ i32, i32 }> <{ i32 0, i32 16 }>
declare void @use(ptr, ptr)
declare swifttailcc void @next(ptr swiftasync, ptr)
declare token @llvm.coro.id.async(i32, i32, i32, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.async.resume()
declare { ptr } @llvm.coro.suspend.async.sl_p0s(i32, ptr, ptr, ...)
declare void @llvm.coro.end.async(ptr, i1, ...)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_Swift, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.swift", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!5 = distinct !DISubprogram(name: "f", linkageName: "f", scope: !1, file: !1, line: 1, type: !6, scopeLine: 1, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !14)
!6 = !DISubroutineType(types: !14)
!7 = !DIBasicType(name: "Int", size: 64, encoding: DW_ATE_signed)
!8 = !DILocalVariable(name: "variable", scope: !5, file: !1, line: 2, type: !7)
!9 = !DILocation(line: 2, scope: !5)
!10 = !DILocation(line: 3, scope: !5)
!11 = !DILocation(line: 4, scope: !5)
!12 = distinct !DISubprogram(name: "go", linkageName: "go", scope: !1, file: !1, line: 20, type: !6, scopeLine: 20, spFlags: DISPFlagDefinition, unit: !0)
!13 = !DILocation(line: 20, scope: !12)
!14 = !{}
