; Operands that must be constants of a kind, but are poison or others. Each is rejected with name and location, with or
; without coro-early.
; RUN: split-file %s %t
; RUN: not pycoro opt %t/part.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=PART
; RUN: not pycoro opt %t/align.ll -S -passes='cgscc(coro-split)' 2>&1 | FileCheck %s --check-prefix=ALIGN
; RUN: not pycoro opt %t/odd.ll -S -passes='cgscc(coro-split)' 2>&1 | FileCheck %s --check-prefix=ODD
; RUN: not pycoro opt %t/final.ll -S -passes='cgscc(coro-split)' 2>&1 | FileCheck %s --check-prefix=FINAL
; RUN: not pycoro opt %t/wide.ll -S -passes='cgscc(coro-split)' 2>&1 | FileCheck %s --check-prefix=WIDE
; UNSUPPORTED: reference

; PART: has an index for which a frame stores no address
; PART: %part = call ptr @llvm.coro.subfn.addr(ptr %memory, i8 poison)
; ALIGN: alignment or direction that is not a constant
; ALIGN: call ptr @llvm.coro.promise(ptr %other, i32 poison, i1 false)
; ODD: not a power of two
; FINAL: whether a suspend is final must be a constant
; WIDE: the frame is larger than the address space

;--- part.ll
define ptr @f(ptr %other) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %memory = call ptr @malloc(i64 64)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %part = call ptr @llvm.coro.subfn.addr(ptr %handle, i8 poison)
  %save = call token @llvm.coro.save(ptr %handle)
  call fastcc void %part(ptr %handle)
  %s = call i8 @llvm.coro.suspend(token %save, i1 false)
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.subfn.addr(ptr, i8)
declare token @llvm.coro.save(ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
;--- align.ll
define ptr @f(ptr %other) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %memory = call ptr @malloc(i64 64)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %promise = call ptr @llvm.coro.promise(ptr %other, i32 poison, i1 false)
  store i8 1, ptr %promise
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.promise(ptr, i32, i1)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
;--- odd.ll
define ptr @f(ptr %other) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %memory = call ptr @malloc(i64 64)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %promise = call ptr @llvm.coro.promise(ptr %other, i32 24, i1 false)
  store i8 1, ptr %promise
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.promise(ptr, i32, i1)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
;--- final.ll
define ptr @f(ptr %other) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %memory = call ptr @malloc(i64 64)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 undef)
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
;--- wide.ll
define ptr @f(ptr %other) presplitcoroutine {
  %many = alloca i8, i128 18446744073709551617
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %memory = call ptr @malloc(i64 64)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @use(ptr %many)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  call void @use(ptr %many)
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @use(ptr)
