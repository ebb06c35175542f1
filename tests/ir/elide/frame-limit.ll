; The elided frames that one function holds are limited, by 16384 bytes unless max-frame-bytes says otherwise. A frame of a
; coroutine that was started by a call, inlined, or is marked coro_elide_safe stays on the heap if it exceeds the rest.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split,coro-annotation-elide),coro-elide,coro-cleanup' %s --pass-remarks-missed=elide -o %t.ll 2>&1 | FileCheck %s --check-prefix=DEFAULT
; RUN: FileCheck %s --check-prefix=ELIDED < %t.ll
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split,coro-annotation-elide<max-frame-bytes=10000>),coro-elide<max-frame-bytes=10000>,coro-cleanup' %s --pass-remarks-missed=elide -o %t.ll 2>&1 | FileCheck %s
; RUN: FileCheck %s --check-prefix=KEPT < %t.ll
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),cgscc(inline),function(coro-elide<max-frame-bytes=10000>),coro-cleanup' %s -o - --pass-remarks-missed=elide 2>&1 | FileCheck %s --check-prefix=INLINED
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split,coro-annotation-elide),coro-elide<max-frame-bytes=0>,coro-cleanup' %s | FileCheck %s --check-prefix=NONE
; RUN: not pycoro opt -passes='coro-elide<max-frame-bytes=1k>' %s 2>&1 | FileCheck %s --check-prefix=WRONG
; RUN: not pycoro opt -passes='coro-elide<max-frame-bytes=>' %s 2>&1 | FileCheck %s --check-prefix=WRONG
; RUN: not pycoro opt -passes='coro-elide<max-frame-bytes=99999999999999999999>' %s 2>&1 | FileCheck %s --check-prefix=WRONG
; RUN: not pycoro opt -passes='cgscc(coro-annotation-elide<most=1>)' %s 2>&1 | FileCheck %s --check-prefix=MARKED

; WRONG: write coro-elide<max-frame-bytes=N>
; MARKED: write coro-annotation-elide<max-frame-bytes=N>

; DEFAULT: 'f' not elided in 'three': its frame of 6016 bytes and the elided frames of 12032 bytes in the caller exceed max-frame-bytes=16384
; CHECK-DAG: 'f' not elided in 'two': its frame of 6016 bytes and the elided frames of 6016 bytes in the caller exceed max-frame-bytes=10000
; CHECK-DAG: 'f' not elided in 'marked': its frame of 6016 bytes and the elided frames of 6016 bytes in the caller exceed max-frame-bytes=10000
; INLINED: 'f' not elided in 'two': its frame of 6016 bytes and the elided frames of 6016 bytes in the caller exceed max-frame-bytes=10000

; ELIDED-LABEL: define void @two(
; ELIDED-COUNT-2: call ptr @f.noalloc(
; ELIDED-LABEL: define void @three(
; ELIDED-COUNT-2: call ptr @f.noalloc(
; ELIDED: call ptr @f(

; KEPT-LABEL: define void @two(
; KEPT: call ptr @f.noalloc(
; KEPT: call ptr @f(
; KEPT-LABEL: define internal fastcc void @marked.resume(
; KEPT: call ptr @f.noalloc(
; KEPT: call ptr @f(

; NONE-LABEL: define void @two(
; NONE-COUNT-2: call ptr @f(

define ptr @f() presplitcoroutine {
entry:
  %buffer = alloca [6000 x i8]
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
  store i32 1, ptr %buffer
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [i8 0, label %go
                            i8 1, label %cleanup]
go:
  %last = getelementptr i8, ptr %buffer, i64 5000
  %value = load i32, ptr %last
  call void @seen(i32 %value)
  br label %cleanup
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}

define void @two() {
  %a = call ptr @f()
  %b = call ptr @f()
  call void @llvm.coro.destroy(ptr %b)
  call void @llvm.coro.destroy(ptr %a)
  ret void
}

define void @three() {
  %a = call ptr @f()
  %b = call ptr @f()
  %c = call ptr @f()
  call void @llvm.coro.destroy(ptr %c)
  call void @llvm.coro.destroy(ptr %b)
  call void @llvm.coro.destroy(ptr %a)
  ret void
}

define ptr @marked() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %fresh = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %fresh)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [i8 0, label %go
                            i8 1, label %cleanup]
go:
  %a = call ptr @f() coro_elide_safe
  %b = call ptr @f() coro_elide_safe
  call void @use(ptr %a, ptr %b)
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %end [i8 0, label %cleanup
                            i8 1, label %cleanup]
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}

declare void @seen(i32) nounwind
declare void @use(ptr, ptr) nounwind
declare noalias ptr @malloc(i64) nounwind
declare void @free(ptr) nounwind
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.destroy(ptr)
