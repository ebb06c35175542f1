; Before the calls of operator new and delete for a frame, the cache is searched for a block, or offered one. The operators then get
; the size of the block.
; RUN: pycoro opt %s -S -passes=coro-cache-frames | FileCheck %s
; RUN: pycoro opt %s -S -passes='coro-cache-frames<initial-exec>' | FileCheck %s --check-prefix=EXEC
; RUN: pycoro opt %s -disable-output -check-lowering -passes='coro-cache-frames,default<O2>'
; RUN: pycoro opt %s -disable-output -check-lowering -passes='coro-cache-frames,default<O0>'
; RUN: pycoro opt %s -S -passes='coro-cache-frames,default<O2>' | FileCheck %s --check-prefix=SPLIT
; RUN: pycoro opt %s -disable-output -passes=coro-cache-frames --pass-remarks=coro-cache 2>&1 | FileCheck %s --check-prefix=DONE
; RUN: not pycoro opt %s -disable-output -passes='coro-cache-frames<emulated>' 2>&1 | FileCheck %s --check-prefix=MODEL
; RUN: sed 's/linux-gnu/windows-msvc/' %s > %t.ll
; RUN: not pycoro opt %t.ll -disable-output -passes=coro-cache-frames 2>&1 | FileCheck %s --check-prefix=WINDOWS

target triple = "x86_64-unknown-linux-gnu"

; CHECK: @pycoro.frame_cache = linkonce_odr hidden thread_local global
; EXEC: @pycoro.frame_cache = linkonce_odr hidden thread_local(initialexec) global

; CHECK-LABEL: define ptr @f(
; CHECK: %size = call i64 @llvm.coro.size.i64()
; CHECK-NEXT: [[FOUND:%.*]] = call ptr @pycoro.frame_cache.take(i64 %size)
; CHECK-NEXT: [[NONE:%.*]] = icmp eq ptr [[FOUND]], null
; CHECK-NEXT: br i1 [[NONE]], label %[[ALLOCATE:.*]], label %[[JOIN:.*]]
; CHECK: %memory = phi ptr [ null, %{{.*}} ], [ [[MEMORY:%.*]], %[[JOIN]] ]
; CHECK: call i1 @pycoro.frame_cache.give(ptr %freed, i64 %size.freed)
; CHECK: [[ALLOCATE]]:
; CHECK-NEXT: [[BLOCK:%.*]] = call i64 @pycoro.frame_cache.block_size(i64 %size)
; CHECK-NEXT: %new = call ptr @_Znwm(i64 [[BLOCK]])
; CHECK: [[JOIN]]:
; CHECK-NEXT: [[MEMORY]] = phi ptr [ [[FOUND]], %{{.*}} ], [ %new, %[[ALLOCATE]] ]
; CHECK: [[BLOCK:%.*]] = call i64 @pycoro.frame_cache.block_size(i64 %size.freed)
; CHECK-NEXT: call void @_ZdlPvm(ptr %freed, i64 [[BLOCK]])

; A frame of 24 bytes has a block of 32 bytes, in the list at offset 16.
; SPLIT-LABEL: define {{.*}}@f(
; SPLIT: getelementptr{{.*}} i8, ptr {{.*}}, i64 16
; SPLIT: call {{.*}}@_Znwm(i64 32)
; SPLIT: @_ZdlPvm({{.*}}, i64 32)

; DONE: remark: @f: memory of destroyed frames is kept for new ones
; MODEL: emulated
; WINDOWS: coro-cache-frames does not support the target of the module

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @_Znwm(i64)
declare void @_ZdlPvm(ptr, i64)
declare void @use(i32)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 16, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %new = call ptr @_Znwm(i64 %size)
  br label %begin
begin:
  %memory = phi ptr [ null, %entry ], [ %new, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %exit [
    i8 0, label %resumed
    i8 1, label %cleanup
  ]
resumed:
  call void @use(i32 %n)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  %any = icmp ne ptr %freed, null
  br i1 %any, label %free, label %exit
free:
  %size.freed = call i64 @llvm.coro.size.i64()
  call void @_ZdlPvm(ptr %freed, i64 %size.freed)
  br label %exit
exit:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
