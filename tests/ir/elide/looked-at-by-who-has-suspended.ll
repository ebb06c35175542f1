; A suspended coroutine may be resumed and destroyed before its suspend returns: elided frames in its frame die with it,
; and must not be read afterwards. Its path is known by a switch or a comparison; otherwise it may be any.
; UNSUPPORTED: reference
; RUN: pycoro opt -disable-output -passes='default<O2>' %s -pass-remarks=coro-elide -pass-remarks-missed=coro-elide 2>&1 | FileCheck %s

; CHECK:      remark: 'f' not elided in 'on_its_way_out': its caller uses it after suspending,
; CHECK:      remark: 'f' not elided in 'once_saved': its caller uses it after suspending,
; CHECK-NEXT: remark: 'f' not elided in 'by_a_branch': its caller uses it after suspending,
; CHECK-NEXT: remark: 'f' elided in 'resumed_by_a_branch' (
; CHECK-NEXT: remark: 'f' not elided in 'by_what_is_computed': its caller uses it after suspending,

define internal ptr @f() presplitcoroutine noinline {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %fresh = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %memory = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store i32 0, ptr %promise
  br label %again
again:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %step
                             i8 1, label %cleanup ]
step:
  %old_value = load i32, ptr %promise
  %value = add i32 %old_value, 1
  store i32 %value, ptr %promise
  br label %again
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}

define ptr @on_its_way_out() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %child = call ptr @f()
  call void @llvm.coro.resume(ptr %child)
  %promise = call ptr @llvm.coro.promise(ptr %child, i32 4, i1 false)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resume
                             i8 1, label %cleanup ]
out:
  call void @outside()
  %value = load i32, ptr %promise
  call void @say(i32 %value)
  br label %end
resume:
  %again = load i32, ptr %promise
  call void @say(i32 %again)
  br label %cleanup
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

define ptr @once_saved() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %child = call ptr @f()
  call void @llvm.coro.resume(ptr %child)
  %promise = call ptr @llvm.coro.promise(ptr %child, i32 4, i1 false)
  %save = call token @llvm.coro.save(ptr null)
  call void @outside()
  %value = load i32, ptr %promise
  call void @say(i32 %value)
  %s = call i8 @llvm.coro.suspend(token %save, i1 false)
  switch i8 %s, label %end [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  %again = load i32, ptr %promise
  call void @say(i32 %again)
  br label %cleanup
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

define ptr @by_a_branch() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %child = call ptr @f()
  call void @llvm.coro.resume(ptr %child)
  %promise = call ptr @llvm.coro.promise(ptr %child, i32 4, i1 false)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %is = icmp ne i8 0, %s
  br i1 %is, label %out, label %resume
out:
  call void @outside()
  %value = load i32, ptr %promise
  call void @say(i32 %value)
  br label %end
resume:
  %again = load i32, ptr %promise
  call void @say(i32 %again)
  br label %cleanup
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

define ptr @resumed_by_a_branch() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %child = call ptr @f()
  call void @llvm.coro.resume(ptr %child)
  %promise = call ptr @llvm.coro.promise(ptr %child, i32 4, i1 false)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %is = icmp slt i8 %s, 0
  br i1 %is, label %end, label %resume
resume:
  call void @outside()
  %value = load i32, ptr %promise
  call void @say(i32 %value)
  br label %cleanup
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

define ptr @by_what_is_computed() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %child = call ptr @f()
  call void @llvm.coro.resume(ptr %child)
  %promise = call ptr @llvm.coro.promise(ptr %child, i32 4, i1 false)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %bit = and i8 %s, 1
  %is = icmp eq i8 %bit, 0
  br i1 %is, label %resume, label %out
out:
  call void @outside()
  %value = load i32, ptr %promise
  call void @say(i32 %value)
  br label %end
resume:
  %again = load i32, ptr %promise
  call void @say(i32 %again)
  br label %cleanup
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

declare ptr @malloc(i64)
declare void @free(ptr)
declare void @outside() nounwind
declare void @say(i32) nounwind
