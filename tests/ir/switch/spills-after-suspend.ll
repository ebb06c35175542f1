; After a suspend, another thread may resume the coroutine and free its frame. Code between the suspend and the branch on
; its result runs then too, and must not spill into the frame. Values are spilled before the next
; suspend instead, unless they are computed after the llvm.coro.save of that suspend.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup' -o %t.ll 2>&1 | count 0
; RUN: FileCheck %s < %t.ll
; UNSUPPORTED: reference

; CHECK-LABEL: define ptr @computed_after(
; CHECK: %v = call i32 @next()
; CHECK-NOT: store
; CHECK-LABEL: define ptr @phi_after(
; CHECK: %v = phi i32
; CHECK-NOT: store
; CHECK-LABEL: define ptr @saved_before(
; CHECK-LABEL: define ptr @result_in_loop(
; CHECK-NOT: store i8 -1
; CHECK-LABEL: define internal fastcc void @computed_after.resume(
; CHECK: %v = call i32 @next()
; CHECK: resumed:
; CHECK-NEXT: store i32 %v, ptr %v.spill.addr
; CHECK-LABEL: define internal fastcc void @phi_after.resume(
; CHECK: %v = phi i32
; CHECK: resumed:
; CHECK-NEXT: store i32 %v, ptr %v.spill.addr
; CHECK-LABEL: define internal fastcc void @saved_before.resume(
; CHECK: store i8 1
; CHECK-NEXT: %v = call i32 @next()
; CHECK-NEXT: store i32 %v, ptr %v.spill.addr
; CHECK-LABEL: define internal fastcc void @result_in_loop.resume(
; CHECK: phi i8 [ -1, %loop ], [ 0, %resume.0 ]
; CHECK-NOT: store i8 %
; CHECK: store i8 0, ptr %s1.spill.addr
; CHECK-NOT: store i8 %
; CHECK-LABEL: define internal fastcc void @result_in_loop.destroy(

; The ramp suspends before it computes %v.
define ptr @computed_after() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  %v = call i32 @next()
  switch i8 %s1, label %out [ i8 0, label %resumed
                              i8 1, label %cleanup ]
resumed:
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %again
                              i8 1, label %cleanup ]
again:
  call void @use(i32 %v)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

; The same for a phi, where paths that have all suspended in the ramp meet.
define ptr @phi_after(i1 %p) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  %n = call i32 @next()
  br i1 %p, label %one, label %two
one:
  call void @use(i32 1)
  br label %join
two:
  call void @use(i32 2)
  br label %join
join:
  %v = phi i32 [ %n, %one ], [ 7, %two ]
  switch i8 %s1, label %out [ i8 0, label %resumed
                              i8 1, label %cleanup ]
resumed:
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %again
                              i8 1, label %cleanup ]
again:
  call void @use(i32 %v)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

; %v is computed after the state is stored, and spilled at once.
define ptr @saved_before() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop
loop:
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %resumed
                              i8 1, label %cleanup ]
resumed:
  call void @use(i32 1)
  %save = call token @llvm.coro.save(ptr null)
  %v = call i32 @next()
  %s2 = call i8 @llvm.coro.suspend(token %save, i1 false)
  call void @use(i32 %v)
  br label %loop
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

; The resume function reaches the code after the suspend by resumption and by suspending. The result is spilled where it
; is resumed.
define ptr @result_in_loop() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop
loop:
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %resumed
                              i8 1, label %cleanup ]
resumed:
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %again
                              i8 1, label %cleanup ]
again:
  %wide = zext i8 %s1 to i32
  call void @use(i32 %wide)
  br label %loop
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare void @use(i32)
declare i32 @next()
declare ptr @malloc(i64)
declare void @free(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare token @llvm.coro.save(ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
