"""A C++ coroutine with debug information from clang, and the functions that it calls, for project reports."""

TRACED = """
source_filename = "src/steps.cpp"
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @take(ptr)
declare void @see(i32)

define LINKAGE ptr @NAME(i32 %0) presplitcoroutine !dbg !4 {
  #dbg_value(i32 %0, !8, !DIExpression(), !10)
  %2 = alloca [COUNT x i8], align 8
  %3 = alloca i64, align 8
  #dbg_declare(ptr %2, !9, !DIExpression(), !10)
  %4 = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %5 = call i64 @llvm.coro.size.i64()
  %6 = call ptr @malloc(i64 %5)
  %7 = call ptr @llvm.coro.begin(token %4, ptr %6)
  call void @take(ptr %2)
  call void @take(ptr %3)
  %8 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %8, label %out [i8 0, label %resume
                            i8 1, label %cleanup]
resume:
  call void @take(ptr %2)
  call void @take(ptr %3)
  call void @see(i32 %0)
  br label %cleanup
cleanup:
  %9 = call ptr @llvm.coro.free(token %4, ptr %7)
  call void @free(ptr %9)
  br label %out
out:
  call void @llvm.coro.end(ptr %7, i1 false, token none)
  ret ptr %7
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_20, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "src/steps.cpp", directory: "/home/me")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "steps", linkageName: "NAME", file: !1, line: 7, type: !5, unit: !0, \
spFlags: DISPFlagDefinition, retainedNodes: !6)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!8 = !DILocalVariable(name: "first", arg: 1, scope: !4, file: !1, line: 7, type: !7)
!9 = !DILocalVariable(name: "buffer", scope: !4, file: !1, line: 9, type: !7)
!10 = !DILocation(line: 9, column: 3, scope: !4)
"""


def coroutine_with_debug_info(name: str = "_Z5stepsi", count: int = 40, linkage: str = "") -> str:
    """Return the coroutine under a name, with a buffer of that many bytes in its frame."""
    return TRACED.replace("NAME", name).replace("COUNT", str(count)).replace("LINKAGE", linkage)
