; Coroutines do not change if the global operators new and delete do not allocate and free their frames, or if a sanitizer checks
; the memory of the frames. A module without another coroutine does not get the functions of the cache.
; RUN: pycoro opt %s -S -passes=coro-cache-frames | FileCheck %s --implicit-check-not=pycoro.frame_cache
; RUN: pycoro opt %s -disable-output -passes=coro-cache-frames --pass-remarks-missed=coro-cache 2>&1 | FileCheck %s --check-prefix=MISSED
; RUN: sed 's/sanitize_address/sanitize_type/' %s | pycoro opt -disable-output -passes=coro-cache-frames --pass-remarks-missed=coro-cache 2>&1 | FileCheck %s --check-prefix=MISSED

; CHECK: define ptr @own_new(
; MISSED: own_new: the frame is not allocated by the global operator new
; MISSED: own_delete: the frame is not freed by the global operator delete
; MISSED: other_size: the frame is not allocated by the global operator new
; MISSED: sanitized: a sanitizer checks the memory of frames
; MISSED: only_memory: the frame is not allocated by the global operator new
; MISSED: tail_call: the frame is not freed by the global operator delete
; MISSED: other_size_freed: the frame is not freed by the global operator delete
; MISSED: freed_size_only: the frame is not freed by the global operator delete

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
declare ptr @own_operator_new(i64)
declare void @own_operator_delete(ptr, i64)

define ptr @own_new(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 16, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %new = call ptr @own_operator_new(i64 %size)
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

define ptr @own_delete(i32 %n) presplitcoroutine {
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
  call void @own_operator_delete(ptr %freed, i64 %size.freed)
  br label %exit
exit:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}

define ptr @other_size(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 16, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %more = add i64 %size, 16
  %new = call ptr @_Znwm(i64 %more)
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

define ptr @sanitized(i32 %n) presplitcoroutine sanitize_address {
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

define ptr @only_memory(i32 %n, ptr %given) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 16, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %new = call ptr @_Znwm(i64 %size)
  br label %begin
begin:
  %memory = phi ptr [ null, %entry ], [ %given, %allocate ]
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

define void @tail_call(ptr %n, i64 %m) presplitcoroutine {
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
  call void @use(i32 0)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  %any = icmp ne ptr %freed, null
  br i1 %any, label %free, label %exit
free:
  %size.freed = call i64 @llvm.coro.size.i64()
  musttail call void @_ZdlPvm(ptr %freed, i64 %size.freed)
  ret void
exit:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret void
}

define ptr @other_size_freed(i32 %n) presplitcoroutine {
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
  call void @_ZdlPvm(ptr %freed, i64 8)
  br label %exit
exit:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}

define ptr @freed_size_only(i32 %n) presplitcoroutine {
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
  %memory.1 = getelementptr i8, ptr %freed, i64 0
  %any = icmp ne ptr %freed, null
  br i1 %any, label %free, label %exit
free:
  %size.freed = call i64 @llvm.coro.size.i64()
  call void @_ZdlPvm(ptr %memory.1, i64 %size.freed)
  br label %exit
exit:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
