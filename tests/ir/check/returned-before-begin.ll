; A call that is passed an address before llvm.coro.begin may return it. Its result must not be used after llvm.coro.begin,
; where the memory is in the frame, or the ramp's stack is gone. Results that cannot be the address are allowed.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK: the lowering is not checked: an address computed before llvm.coro.begin
; CHECK-NEXT: --> @pointer
; CHECK: the lowering is not checked: an address computed before llvm.coro.begin
; CHECK-NEXT: --> @integer
; CHECK: the lowering is not checked: an address computed before llvm.coro.begin
; CHECK-NEXT: --> @computed
; CHECK: the lowering is not checked: an address computed before llvm.coro.begin
; CHECK-NEXT: --> @only_before
; CHECK-NOT: the lowering is not checked
; CHECK: define ptr @pointer(

declare ptr @at(ptr)
declare i64 @number(ptr)
declare i32 @count(ptr)
declare noalias ptr @fresh(ptr)
declare ptr @next(ptr captures(none))
declare void @use(ptr)
declare void @use_i32(i32)

define ptr @pointer(i32 %x) presplitcoroutine {
entry:
  %a = alloca [4 x i32]
  store i32 %x, ptr %a
  %p = call ptr @at(ptr %a)
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  store i32 7, ptr %p
  call void @use(ptr %a)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @integer(i32 %x) presplitcoroutine {
entry:
  %a = alloca [4 x i32]
  store i32 %x, ptr %a
  %n = call i64 @number(ptr %a)
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  %p = inttoptr i64 %n to ptr
  store i32 7, ptr %p
  call void @use(ptr %a)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @computed(i32 %x) presplitcoroutine {
entry:
  %a = alloca [4 x i32]
  store i32 %x, ptr %a
  %second = getelementptr i32, ptr %a, i64 1
  %q = call ptr @at(ptr %second)
  %p = getelementptr i32, ptr %q, i64 1
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  store i32 7, ptr %p
  call void @use(ptr %a)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @only_before(i32 %x) presplitcoroutine {
entry:
  %a = alloca [4 x i32]
  store i32 %x, ptr %a
  %p = call ptr @at(ptr %a)
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  call void @use(ptr %p)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define ptr @no_address(i32 %x) presplitcoroutine {
entry:
  %a = alloca [4 x i32]
  store i32 %x, ptr %a
  %p = call ptr @fresh(ptr %a)
  %q = call ptr @next(ptr %a)
  %n = call i32 @count(ptr %a)
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  call void @use(ptr %p)
  call void @use(ptr %q)
  call void @use_i32(i32 %n)
  call void @use(ptr %a)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare ptr @malloc(i64)
declare void @free(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
