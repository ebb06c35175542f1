; At O0 fields share bytes unless debug information requires separate storage.
; RUN: split-file %s %t
; RUN: cat %t/body.ll | pycoro opt -S -passes='default<O0>' | FileCheck %s --check-prefixes=CHECK,SHARED
; RUN: cat %t/body.ll %t/debug.ll | sed 's/presplitcoroutine {/presplitcoroutine !dbg !3 {/' | pycoro opt -S -passes='default<O0>' | FileCheck %s --check-prefixes=CHECK,APART
; RUN: cat %t/body.ll | pycoro opt -S -passes='default<O0>,cgscc(coro-split<reuse-storage-unless-debug>)' | FileCheck %s --check-prefixes=CHECK,SHARED
; RUN: cat %t/body.ll | not pycoro opt -passes='cgscc(coro-split<reuse>)' 2>&1 | FileCheck %s --check-prefix=WRONG
; UNSUPPORTED: reference

; CHECK-LABEL: define ptr @f(
; SHARED: call ptr @malloc(i64 56)
; APART: call ptr @malloc(i64 88)
; WRONG: write coro-split<reuse-storage> or coro-split<reuse-storage-unless-debug>

;--- body.ll
define ptr @f() presplitcoroutine {
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
  call void @fill(ptr %early)
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

;--- debug.ll
!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "f.c", directory: "/")
!3 = distinct !DISubprogram(name: "f", scope: !2, file: !2, line: 1, type: !4, spFlags: DISPFlagDefinition, unit: !1)
!4 = !DISubroutineType(types: !5)
!5 = !{}
