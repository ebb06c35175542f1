; After a suspend the variadic function has returned. Before the first one va_list works. LLVM 22 leaves a broken module
; for the first two.
; RUN: split-file %s %t
; RUN: not pycoro opt %t/behind.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=BEHIND
; RUN: not pycoro opt %t/handed-on.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=HANDED-ON
; RUN: pycoro opt %t/before.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s --check-prefix=BEFORE
; UNSUPPORTED: reference

; BEHIND-NOT: define
; BEHIND: variable arguments are used after a suspend
; BEHIND: @f, %resumed: call void @llvm.va_start.p0(ptr %list)
; BEHIND: before the first suspend
; HANDED-ON-NOT: define
; HANDED-ON: variable arguments are used after a suspend
; HANDED-ON: @f, %resumed: %given = musttail call ptr (ptr, ...) @other(ptr %handle, ...)
; BEFORE-LABEL: define ptr @f(ptr %{{.*}}, ...)
; BEFORE: call void @llvm.va_start.p0(
; BEFORE-LABEL: define internal fastcc void @f.resume(
; BEFORE: call void @use(i32

;--- behind.ll
define ptr @f(ptr %n, ...) presplitcoroutine {
entry:
  %list = alloca [24 x i8], align 16
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %out [ i8 0, label %resumed
                                  i8 1, label %done ]

resumed:
  call void @llvm.va_start.p0(ptr %list)
  %first = va_arg ptr %list, i32
  call void @use(i32 %first)
  br label %done

done:
  %dead = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.size.i64()
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.va_start.p0(ptr)
declare void @use(i32)
declare ptr @other(ptr, ...)

;--- handed-on.ll
define ptr @f(ptr %n, ...) presplitcoroutine {
entry:
  %list = alloca [24 x i8], align 16
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %out [ i8 0, label %resumed
                                  i8 1, label %done ]

resumed:
  %given = musttail call ptr (ptr, ...) @other(ptr %handle, ...)
  ret ptr %given

done:
  %dead = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.size.i64()
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.va_start.p0(ptr)
declare void @use(i32)
declare ptr @other(ptr, ...)

;--- before.ll
define ptr @f(ptr %n, ...) presplitcoroutine {
entry:
  %list = alloca [24 x i8], align 16
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @llvm.va_start.p0(ptr %list)
  %first = va_arg ptr %list, i32
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %out [ i8 0, label %resumed
                                  i8 1, label %done ]

resumed:
  call void @use(i32 %first)
  br label %done

done:
  %dead = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i64 @llvm.coro.size.i64()
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.va_start.p0(ptr)
declare void @use(i32)
declare ptr @other(ptr, ...)
