; Exits of a function other than by its edges leave a coroutine alive whose handle is in a global: no frame is elided.
; RUN: pycoro opt -disable-output -passes='coro-early,cgscc(coro-split),coro-elide' --pass-remarks=coro-elide --pass-remarks-missed=coro-elide %s 2>&1 | FileCheck %s

; CHECK-NOT: elided in
; CHECK: 'f' not elided in 'thread_ends'{{.*}}its handle is stored to @kept, and a non-local exit may leave without destroying it
; CHECK: 'f' not elided in 'handler_passed_by'{{.*}}its handle is stored to @kept, and an exception may exit without destroying it
; CHECK: 'f' not elided in 'returns_twice'{{.*}}the function has a call that may return twice, such as setjmp
; CHECK: 'f' not elided in 'address_in_tail_call'{{.*}}its handle is an argument of a musttail call
; CHECK: 'f' elided in 'nothing_else_is_thrown'
; CHECK: 'f' elided in 'destroyed_by_an_index'

@kept = global ptr null
@type = external constant ptr

define internal ptr @f() presplitcoroutine noinline {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %fresh = call ptr @alloc(i64 %size)
  br label %begin
begin:
  %memory = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %cleanup
                             i8 1, label %cleanup ]
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}

define void @thread_ends(i1 %ends) nounwind {
  %handle = call ptr @f()
  store ptr %handle, ptr @kept
  br i1 %ends, label %end, label %on
end:
  call void @thrd_exit(i32 0)
  unreachable
on:
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}

define void @handler_passed_by() personality ptr @__CxxFrameHandler3 {
  %handle = call ptr @f()
  store ptr %handle, ptr @kept
  invoke void @throws()
          to label %fine unwind label %thrown
fine:
  call void @llvm.coro.destroy(ptr %handle) nounwind
  ret void
thrown:
  %handlers = catchswitch within none [label %caught] unwind to caller
caught:
  %pad = catchpad within %handlers [ptr @type, i32 0, ptr null]
  call void @llvm.coro.destroy(ptr %handle) nounwind [ "funclet"(token %pad) ]
  catchret from %pad to label %over
over:
  ret void
}

define void @returns_twice() nounwind {
  %handle = call ptr @f()
  %times = call i32 @_setjmp(ptr @type) returns_twice
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}

define void @address_in_tail_call(ptr %unused) nounwind {
  %handle = call ptr @f()
  %inside = getelementptr i8, ptr %handle, i64 16
  musttail call void @reads(ptr %inside)
  ret void
}

define void @nothing_else_is_thrown() personality ptr @__CxxFrameHandler3 {
  %handle = call ptr @f()
  store ptr %handle, ptr @kept
  invoke void @throws()
          to label %fine unwind label %thrown
fine:
  call void @llvm.coro.destroy(ptr %handle) nounwind
  ret void
thrown:
  %handlers = catchswitch within none [label %caught] unwind label %others
caught:
  %pad = catchpad within %handlers [ptr @type, i32 0, ptr null]
  call void @llvm.coro.destroy(ptr %handle) nounwind [ "funclet"(token %pad) ]
  catchret from %pad to label %over
others:
  %cleanup = cleanuppad within none []
  call void @llvm.coro.destroy(ptr %handle) nounwind [ "funclet"(token %cleanup) ]
  cleanupret from %cleanup unwind to caller
over:
  ret void
}

; The index says whether it is still to be destroyed; optimizers turn a switch of one case into a comparison.
define void @destroyed_by_an_index(i1 %first) nounwind {
  %handle = call ptr @f()
  store ptr %handle, ptr @kept
  br i1 %first, label %one, label %two
one:
  call void @llvm.coro.destroy(ptr %handle)
  br label %cleanup
two:
  br label %cleanup
cleanup:
  %index = phi i32 [ 0, %one ], [ 1, %two ]
  %remains = icmp eq i32 %index, 1
  br i1 %remains, label %destroy, label %out
destroy:
  call void @llvm.coro.destroy(ptr %handle)
  br label %out
out:
  ret void
}

declare void @reads(ptr captures(none))
declare void @throws()
declare void @thrd_exit(i32) noreturn nounwind
declare i32 @_setjmp(ptr) returns_twice
declare i32 @__CxxFrameHandler3(...)
declare ptr @alloc(i64)
declare void @free(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.destroy(ptr)
