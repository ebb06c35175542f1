; A ramp with a caller-provided frame is a separate function to a debugger, with the ramp inlined: it has its lines,
; loops, and parameters except reassigned ones.
; RUN: pycoro opt -S -verify-each -passes='coro-early,coro-split,coro-elide,coro-cleanup' %s -o - | FileCheck %s

; CHECK: define internal ptr @f.noalloc(i32 %n, i32 %m, ptr {{.*}}) {{.*}}!dbg [[OWN:![0-9]+]]
; CHECK-NEXT: entry:
; CHECK-NEXT: #dbg_value(i32 %n, [[N:![0-9]+]], !DIExpression(), [[HEAD:![0-9]+]])
; CHECK-NOT: #dbg_value
; CHECK: call void @seen(i32 %n), !dbg [[LINE:![0-9]+]], !llvm.loop [[LEFT:![0-9]+]]
; CHECK: br i1 %{{.*}}, !dbg [[LINE]], !llvm.loop [[LOOP:![0-9]+]]
; CHECK-DAG: [[LOOP]] = distinct !{[[LOOP]], [[LINE]], [[LINE]]}
; CHECK-DAG: [[LEFT]] = distinct !{[[LEFT]], [[LINE]], [[LINE]]}
; CHECK-DAG: [[OWN]] = distinct !DISubprogram(name: "f", linkageName: "f.noalloc", {{.*}}line: 3
; CHECK-DAG: [[N]] = !DILocalVariable(name: "n", arg: 1, scope: [[RAMP:![0-9]+]]
; CHECK-DAG: [[RAMP]] = distinct !DISubprogram(name: "f", scope
; CHECK-DAG: [[HEAD]] = !DILocation(line: 3, column: 9, scope: [[RAMP]], inlinedAt: [[CALL:![0-9]+]])
; CHECK-DAG: [[CALL]] = !DILocation(line: 3, scope: [[OWN]])
; CHECK-DAG: [[LINE]] = !DILocation(line: 4, column: 3, scope: [[RAMP]], inlinedAt: [[CALL]])

define internal ptr @f(i32 %n, i32 %m) presplitcoroutine noinline !dbg !4 {
entry:
    #dbg_value(i32 %n, !7, !DIExpression(), !8)
    #dbg_value(i32 %m, !12, !DIExpression(), !8)
    #dbg_value(i32 0, !12, !DIExpression(), !8)
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null), !dbg !8
  %need = call i1 @llvm.coro.alloc(token %id), !dbg !8
  br i1 %need, label %allocate, label %begin, !dbg !8
allocate:
  %size = call i64 @llvm.coro.size.i64(), !dbg !8
  %fresh = call ptr @malloc(i64 %size), !dbg !8
  br label %begin, !dbg !8
begin:
  %memory = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory), !dbg !8
  br label %loop, !dbg !9
loop:
  %i = phi i32 [ 0, %begin ], [ %next, %loop ]
  call void @seen(i32 %n), !dbg !9, !llvm.loop !13
  %next = add i32 %i, 1, !dbg !9
  %more = icmp ult i32 %next, %m, !dbg !9
  br i1 %more, label %loop, label %out, !dbg !9, !llvm.loop !13
out:
  %s = call i8 @llvm.coro.suspend(token none, i1 true), !dbg !8
  switch i8 %s, label %end [i8 0, label %never
                            i8 1, label %cleanup], !dbg !8
never:
  unreachable, !dbg !8
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %handle), !dbg !8
  call void @free(ptr %old), !dbg !8
  br label %end, !dbg !8
end:
  call void @llvm.coro.end(ptr null, i1 false, token none), !dbg !8
  ret ptr %handle, !dbg !8
}

define void @caller() !dbg !10 {
  %handle = call ptr @f(i32 7, i32 8), !dbg !11
  call void @llvm.coro.destroy(ptr %handle), !dbg !11
  ret void, !dbg !11
}

declare void @seen(i32) nounwind
declare ptr @malloc(i64) nounwind
declare void @free(ptr) nounwind
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.destroy(ptr)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{null})
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 3, type: !3, scopeLine: 3, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !6)
!5 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!6 = !{!7, !12}
!7 = !DILocalVariable(name: "n", arg: 1, scope: !4, file: !1, line: 3, type: !5)
!8 = !DILocation(line: 3, column: 9, scope: !4)
!9 = !DILocation(line: 4, column: 3, scope: !4)
!10 = distinct !DISubprogram(name: "caller", scope: !1, file: !1, line: 9, type: !3, scopeLine: 9, spFlags: DISPFlagDefinition, unit: !0)
!11 = !DILocation(line: 10, column: 3, scope: !10)
!12 = !DILocalVariable(name: "m", arg: 2, scope: !4, file: !1, line: 3, type: !5)
!13 = distinct !{!13, !9, !9}
