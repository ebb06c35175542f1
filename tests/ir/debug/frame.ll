; Optimized clones refer to the frame directly: an optimizer would split a variable with its address and lose the
; content. Their records are values with a load at the end: LLVM's code generator applies the offset of a declaration at
; a parameter after the load. A C++ coroutine has a variable for the frame, with a type that describes its fields.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup,function(sroa)' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc-22 -O2 -filetype=obj %t.ll -o %t.o
; RUN: llvm-dwarfdump-22 --verify %t.o
; REQUIRES: llc, llvm-dwarfdump

; CHECK-LABEL: define ptr @f(
; CHECK: [[FRAME:%.+]] = call ptr @malloc
; CHECK-NEXT: #dbg_declare(ptr [[FRAME]], ![[VARIABLE:[0-9]+]], !DIExpression(),
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK-NEXT: entry.resume:
; CHECK-NEXT: #dbg_declare(ptr %handle, ![[R_VARIABLE:[0-9]+]], !DIExpression(),
; CHECK-NEXT: #dbg_value(ptr %handle, !{{[0-9]+}}, !DIExpression(DW_OP_plus_uconst, [[#]], DW_OP_deref, DW_OP_deref),
; CHECK-NEXT: #dbg_value(ptr %handle, !{{[0-9]+}}, !DIExpression(DW_OP_plus_uconst, 16, DW_OP_deref),
; CHECK-NEXT: #dbg_value(ptr %handle, !{{[0-9]+}}, !DIExpression(DW_OP_plus_uconst, [[#AT_KEPT:]], DW_OP_deref),
; CHECK-NOT: poison, !DIExpression(DW_OP

; CHECK-DAG: ![[F:[0-9]+]] = distinct !DISubprogram(name: "f", linkageName: "_f", {{.*}}retainedNodes: ![[RETAINED:[0-9]+]]
; CHECK-DAG: ![[RETAINED]] = !{![[VARIABLE]]}
; CHECK-DAG: ![[VARIABLE]] = !DILocalVariable(name: "__coro_frame", scope: ![[F]], file: ![[FILE:[0-9]+]], line: 1, type: ![[TYPE:[0-9]+]], flags: DIFlagArtificial)
; CHECK-DAG: ![[R_VARIABLE]] = !DILocalVariable(name: "__coro_frame", scope: !{{[0-9]+}}, file: ![[FILE]], line: 1, type: ![[TYPE]], flags: DIFlagArtificial)
; CHECK-DAG: ![[TYPE]] = !DICompositeType(tag: DW_TAG_structure_type, name: "f.coro_frame_ty", file: ![[FILE]], line: 1, size: [[#]], align: 64, flags: DIFlagArtificial, elements: ![[ELEMENTS:[0-9]+]])
; CHECK-DAG: ![[ELEMENTS]] = !{![[RESUME:[0-9]+]], ![[DESTROY:[0-9]+]], ![[PROMISE:[0-9]+]], {{.*}}}
; CHECK-DAG: ![[RESUME]] = !DIDerivedType(tag: DW_TAG_member, name: "__resume_fn", scope: ![[TYPE]], file: ![[FILE]], line: 1, baseType: ![[POINTER:[0-9]+]], size: 64, align: 64, flags: DIFlagArtificial)
; CHECK-DAG: ![[DESTROY]] = !DIDerivedType(tag: DW_TAG_member, name: "__destroy_fn", scope: ![[TYPE]], file: ![[FILE]], line: 1, baseType: ![[POINTER]], size: 64, align: 64, offset: 64, flags: DIFlagArtificial)
; CHECK-DAG: ![[POINTER]] = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)
; CHECK-DAG: ![[PROMISE]] = !DIDerivedType(tag: DW_TAG_member, name: "__promise", scope: ![[TYPE]], file: ![[FILE]], line: 1, baseType: ![[INT:[0-9]+]], size: 32, align: 32, offset: 128, flags: DIFlagArtificial)
; CHECK-DAG: ![[INT]] = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
; CHECK-DAG: !DIDerivedType(tag: DW_TAG_member, name: "n", scope: ![[TYPE]], {{.*}}baseType: ![[INT]], size: 32, align: 32, offset: [[#]], flags: DIFlagArtificial)
; CHECK-DAG: !DIDerivedType(tag: DW_TAG_member, name: "__int_32_1", scope: ![[TYPE]], {{.*}}baseType: ![[INT32:[0-9]+]], size: 32, align: 32, offset: [[#]], flags: DIFlagArtificial)
; CHECK-DAG: ![[INT32]] = !DIBasicType(name: "__int_32", size: 32, encoding: DW_ATE_signed, flags: DIFlagArtificial)
; CHECK-DAG: !DIDerivedType(tag: DW_TAG_member, name: "PointerType_0", scope: ![[TYPE]],
; CHECK-DAG: !DIDerivedType(tag: DW_TAG_member, name: "kept", scope: ![[TYPE]], {{.*}}size: 64, align: 32, offset: [[#mul(AT_KEPT,8)]],

define ptr @f(i32 %n, ptr %this) presplitcoroutine !dbg !5 {
entry:
  %promise = alloca i32
  %kept = alloca [2 x i32]
  %short = alloca i32
  #dbg_declare(ptr %this, !10, !DIExpression(), !20)
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null), !dbg !20
  %size = call i64 @llvm.coro.size.i64(), !dbg !20
  %memory = call ptr @malloc(i64 %size), !dbg !20
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory), !dbg !20
  #dbg_declare(ptr %promise, !11, !DIExpression(), !20)
  #dbg_declare(ptr %kept, !12, !DIExpression(), !21)
  %second = getelementptr [2 x i32], ptr %kept, i32 0, i32 1
  #dbg_value(i32 %n, !13, !DIExpression(), !20)
  call void @use(ptr %kept), !dbg !20
  %unnamed = load i32, ptr %this, !dbg !20
  %result = call i8 @llvm.coro.suspend(token none, i1 false), !dbg !22
  switch i8 %result, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ], !dbg !22

resume:
  #dbg_declare(ptr %short, !14, !DIExpression(), !21)
  #dbg_declare(ptr %second, !15, !DIExpression(), !21)
  #dbg_value(i32 %n, !16, !DIExpression(DW_OP_plus_uconst, 3, DW_OP_stack_value), !21)
  #dbg_value(i32 %n, !17, !DIExpression(DW_OP_LLVM_fragment, 0, 16), !21)
  #dbg_value(i64 7, !17, !DIExpression(DW_OP_LLVM_fragment, 16, 16), !21)
  #dbg_value(!DIArgList(i32 %n, i64 %size), !18, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value), !21)
  %twice = mul i32 %n, 2, !dbg !23
  #dbg_value(i32 %twice, !13, !DIExpression(), !20)
  store i32 %twice, ptr %short, !dbg !23
  store i32 %twice, ptr %promise, !dbg !23
  store i32 %twice, ptr %this, !dbg !23
  store i32 %unnamed, ptr %kept, !dbg !23
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
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.cpp", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !4)
!4 = !{null}
!5 = distinct !DISubprogram(name: "f", linkageName: "_f", scope: !1, file: !1, line: 1, type: !3, scopeLine: 2, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!6 = distinct !DILexicalBlock(scope: !5, file: !1, line: 4, column: 3)
!7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!8 = !DICompositeType(tag: DW_TAG_array_type, baseType: !7, size: 64, elements: !9)
!9 = !{!DISubrange(count: 2)}
!10 = !DILocalVariable(name: "this", arg: 2, scope: !5, file: !1, line: 1, type: !7, flags: DIFlagArtificial | DIFlagObjectPointer)
!11 = !DILocalVariable(name: "__promise", scope: !5, type: !7, flags: DIFlagArtificial)
!12 = !DILocalVariable(name: "kept", scope: !6, file: !1, line: 5, type: !8, align: 64)
!13 = !DILocalVariable(name: "n", arg: 1, scope: !5, file: !1, line: 1, type: !7)
!14 = !DILocalVariable(name: "short", scope: !6, file: !1, line: 6, type: !7)
!15 = !DILocalVariable(name: "second", scope: !6, file: !1, line: 7, type: !7)
!16 = !DILocalVariable(name: "sum", scope: !6, file: !1, line: 8, type: !7)
!17 = !DILocalVariable(name: "split", scope: !6, file: !1, line: 9, type: !7)
!18 = !DILocalVariable(name: "both", scope: !6, file: !1, line: 9, type: !7)
!20 = !DILocation(line: 3, column: 3, scope: !5)
!21 = !DILocation(line: 5, column: 5, scope: !6)
!22 = !DILocation(line: 4, column: 1, scope: !5)
!23 = !DILocation(line: 6, column: 5, scope: !6)
