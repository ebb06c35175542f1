; A thread-local address belongs to the current thread: it is spilled, not rematerialized after a suspend, where another
; thread may continue. It may be an operand, in a constant expression, or an alias. LLVM 22 rematerializes all of them.
; RUN: pycoro opt %s -S -passes='coro-early,cgscc(coro-split),coro-cleanup' -o %t.ll
; RUN: FileCheck %s < %t.ll
; UNSUPPORTED: reference

; CHECK-LABEL: define ptr @f(
; CHECK-DAG: %place = getelementptr i32, ptr @tls, i32 %n
; CHECK-DAG: store ptr %place, ptr %{{.*}}
; CHECK-DAG: store i64 %sum, ptr %{{.*}}
; CHECK-DAG: store ptr %renamed, ptr %{{.*}}
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK-NOT: {{@tls|@other}}
; CHECK: getelementptr i32, ptr @shared, i32 %
; CHECK-NOT: {{@tls|@other}}
; CHECK-LABEL: define internal fastcc void @f.destroy(

@tls = thread_local global [100 x i32] zeroinitializer
@other = thread_local alias [100 x i32], ptr @tls
@shared = global [100 x i32] zeroinitializer

define ptr @f(i32 %n, i64 %m) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %place = getelementptr i32, ptr @tls, i32 %n
  %sum = add i64 %m, ptrtoint (ptr getelementptr (i8, ptr @tls, i64 4) to i64)
  %renamed = getelementptr i32, ptr @other, i32 %n
  %anybodys = getelementptr i32, ptr @shared, i32 %n
  %result = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %result, label %out [ i8 0, label %resumed
                                  i8 1, label %done ]

resumed:
  call void @use(ptr %place, i64 %sum, ptr %renamed, ptr %anybodys, i32 %n)
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
declare void @use(ptr, i64, ptr, ptr, i32)
