; The address of a variable in the frame is always available, even where another one shares its bytes; its content is
; not.
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup' | FileCheck %s
; UNSUPPORTED: reference

; CHECK: call ptr @malloc(i64 56)
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK-DAG: #dbg_value(ptr %{{.*}}, [[WHERE:![0-9]+]], !DIExpression(DW_OP_deref, DW_OP_plus_uconst, 16),
; CHECK-DAG: #dbg_value(ptr %{{.*}}, [[WHERE]], !DIExpression(DW_OP_deref, DW_OP_plus_uconst, 16, DW_OP_plus_uconst, 8, DW_OP_stack_value),
; CHECK-DAG: #dbg_value(ptr %early.reload.addr, {{.*}}, !DIExpression(DW_OP_deref),
; CHECK: }
; CHECK: [[WHERE]] = !DILocalVariable(name: "where"
define ptr @f() presplitcoroutine !dbg !3 {
entry:
  %early = alloca [4 x i64]
  %late = alloca [4 x i64]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @fill(ptr %early)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]
resumed:
    #dbg_value(ptr %early, !6, !DIExpression(), !8)
  call void @fill(ptr %early)
    #dbg_value(ptr %early, !6, !DIExpression(DW_OP_plus_uconst, 8, DW_OP_stack_value), !8)
    #dbg_value(ptr %early, !7, !DIExpression(DW_OP_deref), !8)
  call void @fill(ptr %late)
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %out [
    i8 0, label %again
    i8 1, label %destroyed
  ]
again:
  call void @fill(ptr %late)
  br label %destroyed
destroyed:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
declare void @fill(ptr captures(none))
declare ptr @malloc(i64)
declare void @free(ptr)

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "f.c", directory: "/")
!3 = distinct !DISubprogram(name: "f", scope: !2, file: !2, line: 1, type: !4, spFlags: DISPFlagDefinition, unit: !1)
!4 = !DISubroutineType(types: !5)
!5 = !{}
!6 = !DILocalVariable(name: "where", scope: !3, file: !2, line: 1, type: !9)
!7 = !DILocalVariable(name: "what", scope: !3, file: !2, line: 1, type: !9)
!8 = !DILocation(line: 2, scope: !3)
!9 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
