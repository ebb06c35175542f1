; With the stack in a separate address space, the lowering's allocas are cast to plain pointers; a dynamic alloca, which
; would be on the heap, is rejected.
; RUN: split-file %s %t
; RUN: pycoro opt %t/never.ll -S -verify-each -o %t/out.ll -passes='coro-early,cgscc(coro-split),coro-cleanup'
; RUN: pycoro opt %t/out.ll -S -verify-each -passes=coro-cleanup | FileCheck %s --check-prefix=NEVER
; RUN: pycoro opt %t/byval.ll -S -verify-each -o %t/out.ll -passes='coro-early,cgscc(coro-split),coro-cleanup'
; RUN: pycoro opt %t/out.ll -S -verify-each -passes=coro-cleanup | FileCheck %s --check-prefix=BYVAL
; RUN: not pycoro opt %t/heap.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=HEAP
; UNSUPPORTED: reference

; NEVER: %frame = alloca [16 x i8], align 8, addrspace(5)
; NEVER: addrspacecast ptr addrspace(5) %frame to ptr
; BYVAL-LABEL: define internal fastcc void @f.resume(
; BYVAL: alloca i64, align 8, addrspace(5)
; BYVAL: [[N:%.*]] = addrspacecast ptr addrspace(5) %{{.*}} to ptr
; BYVAL: phi ptr [ [[N]], %yes ], [ null, %{{.*}} ]
; HEAP: of another address space
; HEAP: @f
; HEAP: %a = alloca i32, i32 %n

;--- never.ll
target datalayout = "e-p:64:64-A5"
define void @f(i64 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %got = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %memory = phi ptr [ null, %entry ], [ %got, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @use(ptr %handle)
  %old = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %old)
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret void
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @use(ptr)
;--- byval.ll
target datalayout = "e-p:64:64-A5"
define ptr @f(i1 %c, ptr byval(i64) align 8 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %memory = call ptr @malloc(i64 64)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %out
  ]
resumed:
  br i1 %c, label %yes, label %join
yes:
  call void @use(ptr null)
  br label %join
join:
  %p = phi ptr [ %n, %yes ], [ null, %resumed ]
  call void @use(ptr null)
  br label %out
out:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @use(ptr)
;--- heap.ll
target datalayout = "e-p:64:64-A5"
define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %memory = call ptr @malloc(i64 64)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %a = alloca i32, i32 %n, addrspace(5)
  call void @use(ptr addrspace(5) %a)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %destroyed
  ]
resumed:
  call void @use(ptr addrspace(5) %a)
  br label %destroyed
destroyed:
  %old = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %old)
  br label %out
out:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @use(ptr addrspace(5))
