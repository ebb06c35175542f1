; LLVM's verifier requires a debug location of each direct call between two functions that have a subprogram. A call that
; a lowering creates, or makes direct, gets line 0 of its caller if the source names no line.
; UNSUPPORTED: reference
; RUN: split-file %s %t
; RUN: cat %t/called.ll %t/debug.ll > %t/1.ll
; RUN: pycoro opt -S -verify-each -passes='coro-early,cgscc(coro-split),coro-elide,coro-cleanup' %t/1.ll -o - | FileCheck %s --check-prefix=CALLED
; RUN: pycoro opt -S -passes='default<O1>' %t/1.ll -o /dev/null
; RUN: pycoro opt -S -passes='default<O2>' %t/1.ll -o /dev/null
; RUN: cat %t/inlined.ll %t/debug.ll > %t/2.ll
; RUN: pycoro opt -S -verify-each -passes='coro-elide,coro-cleanup' %t/2.ll -o - | FileCheck %s --check-prefix=INLINED
; RUN: cat %t/allocator.ll %t/debug.ll > %t/3.ll
; RUN: pycoro opt -S -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' %t/3.ll -o - | FileCheck %s --check-prefix=ALLOCATOR
; RUN: cat %t/prepared.ll %t/debug.ll > %t/4.ll
; RUN: pycoro opt -S -verify-each -passes='coro-cleanup' %t/4.ll -o - | FileCheck %s --check-prefix=PREPARED

; CALLED-LABEL: define void @caller()
; CALLED: call ptr @f.noalloc(ptr %{{.*}}), !dbg
; CALLED: call fastcc void @f.cleanup(ptr %handle), !dbg ![[#ZERO:]]
; CALLED: ![[#ZERO]] = !DILocation(line: 0, scope: ![[#]])

; INLINED-LABEL: define void @caller()
; INLINED: call fastcc void @f.resume(ptr %f.frame), !dbg ![[#ZERO:]]
; INLINED: call fastcc void @f.cleanup(ptr %f.frame), !dbg ![[#ZERO]]
; INLINED: ![[#ZERO]] = !DILocation(line: 0, scope: ![[#]])

; ALLOCATOR-LABEL: define ptr @f(
; ALLOCATOR: call ptr @allocate(i32 {{.*}}), !dbg
; ALLOCATOR-LABEL: define internal ptr @f.resume.0(
; ALLOCATOR: call void @deallocate(ptr {{.*}}), !dbg

; PREPARED-LABEL: define void @caller(
; PREPARED: call ptr @malloc(i64 {{.*}}), !dbg ![[#ZERO:]]
; PREPARED: call void @free(ptr %{{.*}}), !dbg ![[#ZERO]]
; PREPARED: call void @g(i64 1), !dbg ![[#ZERO]]
; PREPARED: ![[#ZERO]] = !DILocation(line: 0, scope: ![[#]])

;--- called.ll
define internal ptr @f() presplitcoroutine noinline !dbg !4 {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %fresh = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %memory = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @seen()
  %s = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s, label %end [i8 0, label %never
                            i8 1, label %cleanup]
never:
  unreachable
cleanup:
  call void @seen()
  %old = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
define void @caller() !dbg !5 {
  %handle = call ptr @f(), !dbg !6
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}
declare void @seen() nounwind
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

;--- inlined.ll
@f.resumers = private constant [3 x ptr] [ptr @f.resume, ptr @f.destroy, ptr @f.cleanup]
declare ptr @f()
define internal fastcc void @f.resume(ptr align 8 dereferenceable(24) %frame) !dbg !4 {
  ret void
}
define internal fastcc void @f.destroy(ptr align 8 dereferenceable(24) %frame) !dbg !8 {
  call void @free(ptr %frame)
  ret void
}
define internal fastcc void @f.cleanup(ptr align 8 dereferenceable(24) %frame) !dbg !7 {
  ret void
}
define void @caller() !dbg !5 {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @f, ptr @f.resumers)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %fresh = call ptr @malloc(i64 24)
  br label %begin
begin:
  %memory = phi ptr [ null, %0 ], [ %fresh, %allocate ]
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %resume = call ptr @llvm.coro.subfn.addr(ptr %frame, i8 0)
  call fastcc void %resume(ptr %frame)
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %frame, i8 1)
  call fastcc void %destroy(ptr %frame)
  ret void
}
declare ptr @malloc(i64) nounwind
declare void @free(ptr) nounwind
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.subfn.addr(ptr, i8)

;--- allocator.ll
define ptr @f(ptr %buffer, i64 %n, i64 %m) !dbg !5 {
entry:
  %id = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %frame = call ptr @llvm.coro.begin(token %id, ptr null)
  br label %loop
loop:
  call void @use(i64 %n, i64 %m)
  %stop = call i1 (...) @llvm.coro.suspend.retcon.i1()
  br i1 %stop, label %cleanup, label %loop
cleanup:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  unreachable
}
define ptr @allocate(i32 %size) !dbg !4 {
  %memory = call ptr @malloc(i32 %size)
  ret ptr %memory
}
define void @deallocate(ptr %memory) !dbg !7 {
  call void @free(ptr %memory)
  ret void
}
declare ptr @prototype(ptr, i1)
declare ptr @malloc(i32)
declare void @free(ptr)
declare void @use(i64, i64)
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare void @llvm.coro.end(ptr, i1, token)

;--- prepared.ll
@g.fp = global <{ i32, i32 }> <{ i32 0, i32 16 }>
define void @caller(ptr %other) !dbg !5 {
  %context = call ptr @llvm.coro.async.context.alloc(ptr @g.fp, ptr @g.fp)
  call void @llvm.coro.async.context.dealloc(ptr %context)
  %g = call ptr @llvm.coro.prepare.async(ptr @g)
  call void %g(i64 1)
  ret void
}
define void @g(i64 %n) noinline !dbg !4 {
  ret void
}
define ptr @malloc(i64 %n) !dbg !7 {
  ret ptr null
}
define void @free(ptr %memory) !dbg !8 {
  ret void
}
declare ptr @llvm.coro.prepare.async(ptr)
declare ptr @llvm.coro.async.context.alloc(ptr, ptr)
declare void @llvm.coro.async.context.dealloc(ptr)

;--- debug.ll
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{null})
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 3, type: !3, scopeLine: 3, spFlags: DISPFlagDefinition, unit: !0)
!5 = distinct !DISubprogram(name: "caller", scope: !1, file: !1, line: 9, type: !3, scopeLine: 9, spFlags: DISPFlagDefinition, unit: !0)
!6 = !DILocation(line: 10, column: 3, scope: !5)
!7 = distinct !DISubprogram(name: "g", scope: !1, file: !1, line: 13, type: !3, scopeLine: 13, spFlags: DISPFlagDefinition, unit: !0)
!8 = distinct !DISubprogram(name: "h", scope: !1, file: !1, line: 16, type: !3, scopeLine: 16, spFlags: DISPFlagDefinition, unit: !0)
