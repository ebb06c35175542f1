; llvm.coro.free moves behind an access to memory by an intrinsic, because it also frees the heap blocks of allocas. It
; keeps its name and its debug location.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -S -passes=coro-early | FileCheck %s

; CHECK: call void @llvm.memcpy.p0.p0.i64(
; CHECK-NEXT: %memory.to.free = call ptr @llvm.coro.free(token %id, ptr %hdl), !dbg ![[FREE:.*]]
; CHECK-NEXT: call void @free(ptr %memory.to.free), !dbg ![[CALL:.*]]
; CHECK: ![[FREE]] = !DILocation(line: 3
; CHECK: ![[CALL]] = !DILocation(line: 4
define ptr @f(i32 %n) presplitcoroutine !dbg !4 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size), !dbg !5
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %block = alloca i32, i32 %n
  store i32 %n, ptr %block
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %exit [ i8 0, label %end i8 1, label %end ]
end:
  %memory.to.free = call ptr @llvm.coro.free(token %id, ptr %hdl), !dbg !6
  call void @llvm.memcpy.p0.p0.i64(ptr @buffer, ptr %block, i64 4, i1 false)
  call void @free(ptr %memory.to.free), !dbg !7
  br label %exit
exit:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

@buffer = global i32 0
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "f.c", directory: "/")
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "f", scope: !2, file: !2, line: 1, type: !3, spFlags: DISPFlagDefinition, unit: !1)
!5 = !DILocation(line: 2, scope: !4)
!6 = !DILocation(line: 3, scope: !4)
!7 = !DILocation(line: 4, scope: !4)
