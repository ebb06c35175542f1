; producer: Hew, gen fn
; llvm: 21
; abi: switch
; expect: 1 2 3 100 1 0
;
; A generator with a promise of one field and an initial suspend: the consumer resumes it, tests whether it is done, and
; reads the promise. A second consumer destroys its generator after one value.

%promise_type = type { i64 }

declare ptr @take(i64)
declare void @give(ptr)
declare void @report(i32)
declare i32 @frames()
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare i1 @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare i1 @llvm.coro.done(ptr)
declare ptr @llvm.coro.promise(ptr, i32, i1)

define ptr @gen_numbers() presplitcoroutine {
entry:
  %promise = alloca %promise_type, align 8
  %id = call token @llvm.coro.id(i32 8, ptr %promise, ptr null, ptr null)
  %need.alloc = call i1 @llvm.coro.alloc(token %id)
  br i1 %need.alloc, label %alloc, label %begin

alloc:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @take(i64 %size)
  br label %begin

begin:
  %frame = phi ptr [ null, %entry ], [ %memory, %alloc ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %frame)
  %initial = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %initial, label %suspend [
    i8 0, label %yield.1
    i8 1, label %cleanup
  ]

yield.1:
  store i64 1, ptr %promise, align 8
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %suspend [
    i8 0, label %yield.2
    i8 1, label %cleanup
  ]

yield.2:
  store i64 2, ptr %promise, align 8
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %suspend [
    i8 0, label %yield.3
    i8 1, label %cleanup
  ]

yield.3:
  store i64 3, ptr %promise, align 8
  %s3 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s3, label %suspend [
    i8 0, label %final
    i8 1, label %cleanup
  ]

final:
  %s4 = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s4, label %suspend [
    i8 0, label %trap
    i8 1, label %cleanup
  ]

trap:
  unreachable

cleanup:
  %mem = call ptr @llvm.coro.free(token %id, ptr %handle)
  %need.free = icmp ne ptr %mem, null
  br i1 %need.free, label %free, label %suspend

free:
  call void @give(ptr %mem)
  br label %suspend

suspend:
  %unused = call i1 @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define i64 @hew_gen_value(ptr %handle) {
  %promise = call ptr @llvm.coro.promise(ptr %handle, i32 8, i1 false)
  %value = load i64, ptr %promise, align 8
  ret i64 %value
}

define void @run() {
entry:
  %all = call ptr @gen_numbers()
  br label %next

next:
  call void @llvm.coro.resume(ptr %all)
  %done = call i1 @llvm.coro.done(ptr %all)
  br i1 %done, label %out, label %body

body:
  %value = call i64 @hew_gen_value(ptr %all)
  %narrow = trunc i64 %value to i32
  call void @report(i32 %narrow)
  br label %next

out:
  call void @llvm.coro.destroy(ptr %all)
  call void @report(i32 100)
  %one = call ptr @gen_numbers()
  call void @llvm.coro.resume(ptr %one)
  %first = call i64 @hew_gen_value(ptr %one)
  %first.narrow = trunc i64 %first to i32
  call void @report(i32 %first.narrow)
  call void @llvm.coro.destroy(ptr %one)
  %live = call i32 @frames()
  call void @report(i32 %live)
  ret void
}
