; A call that is passed an alloca's address before llvm.coro.begin may return it, and its result may be used after
; llvm.coro.begin. A frame-resident alloca would have moved by then, so that the alloca is a heap block instead. Its list
; is an alloca of the ramp until llvm.coro.begin. Results that cannot be the address do not need that. LLVM's passes
; add attributes to the declaration of malloc, which the lowering's calls need not repeat.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s
; RUN: pycoro opt %s -check-lowering -passes='default<O2>' -o /dev/null
; UNSUPPORTED: reference

; CHECK-NOT: the lowering is not checked
; CHECK-LABEL: define ptr @pointer(
; CHECK: [[LIST:%early.heap]] = alloca ptr
; CHECK-NEXT: store ptr null, ptr [[LIST]]
; CHECK-NEXT: [[BLOCK:%.*]] = call ptr @malloc(i64 32)
; CHECK-NEXT: [[HEAD:%.*]] = load ptr, ptr [[LIST]]
; CHECK-NEXT: store ptr [[HEAD]], ptr [[BLOCK]]
; CHECK-NEXT: store ptr [[BLOCK]], ptr [[LIST]]
; CHECK-NEXT: [[A:%.*]] = getelementptr inbounds i8, ptr [[BLOCK]], i64 16
; CHECK: %p = call ptr @at(ptr [[A]])
; CHECK: %memory = call
; CHECK: [[EARLY:%.*]] = load ptr, ptr [[LIST]]
; CHECK-NEXT: store ptr [[EARLY]], ptr %{{.*}}
; CHECK-NEXT: store ptr null, ptr [[LIST]]
; CHECK-LABEL: define ptr @integer(
; CHECK: %early.heap
; CHECK-LABEL: define ptr @computed(
; CHECK: %early.heap
; CHECK-LABEL: define ptr @only_before(
; CHECK: %early.heap
; CHECK-LABEL: define ptr @no_address(
; CHECK-NOT: %early.heap
; CHECK-LABEL: define ptr @in_memory(
; CHECK: %early.heap
; CHECK: store ptr %{{.*}}, ptr %slot
; CHECK-LABEL: define ptr @dynamic(
; CHECK: %early.heap
; CHECK-LABEL: define ptr @fails(
; CHECK: %early.heap
; CHECK: return:
; CHECK: [[LEFT:%.*]] = load ptr, ptr %early.heap
; CHECK-NEXT: call void @fails.release(ptr [[LEFT]])
; CHECK-NEXT: ret ptr
; CHECK-LABEL: define ptr @joined(
; CHECK: cleanup:
; CHECK: [[LEFT:%.*]] = load ptr, ptr %heap.list
; CHECK-NEXT: call void @joined.release(ptr [[LEFT]])
; CHECK: out.after:
; CHECK: [[LEFT:%.*]] = load ptr, ptr %early.heap
; CHECK-NEXT: call void @joined.release(ptr [[LEFT]])
; CHECK-NEXT: ret ptr
; CHECK-LABEL: define ptr @throws(
; CHECK: thrown:
; CHECK: [[LEFT:%.*]] = load ptr, ptr %early.heap
; CHECK-NEXT: call void @throws.release(ptr [[LEFT]])
; CHECK-NEXT: resume
; CHECK: ret ptr
; CHECK-LABEL: define ptr @tail(
; CHECK: failed:
; CHECK: [[LEFT:%.*]] = load ptr, ptr %early.heap
; CHECK-NEXT: call void @tail.release(ptr [[LEFT]])
; CHECK-NEXT: musttail call ptr @tail(i32 3)
; CHECK-NEXT: ret ptr

declare ptr @at(ptr)
declare i64 @number(ptr)
declare i32 @count(ptr)
declare noalias ptr @fresh(ptr)
declare ptr @next(ptr captures(none))
declare i32 @__gxx_personality_v0(...)
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

define ptr @in_memory(i32 %x) presplitcoroutine {
entry:
  %a = alloca [4 x i32]
  %slot = alloca ptr
  store i32 %x, ptr %a
  store ptr %a, ptr %slot
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  %p = load ptr, ptr %slot
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

define ptr @dynamic(i64 %n) presplitcoroutine {
entry:
  %a = alloca i32, i64 %n
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %p = getelementptr i32, ptr %a, i64 1
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

define ptr @fails(i32 %x) presplitcoroutine {
entry:
  %a = alloca [4 x i32]
  store i32 %x, ptr %a
  %p = call ptr @at(ptr %a)
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %none = icmp eq ptr %memory, null
  br i1 %none, label %failed, label %begin
failed:
  call void @use(ptr %p)
  br label %return
begin:
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
  br label %return
return:
  %r = phi ptr [ null, %failed ], [ %handle, %out ]
  ret ptr %r
}

define ptr @joined(i32 %x) presplitcoroutine {
entry:
  %a = alloca [4 x i32]
  store i32 %x, ptr %a
  %p = call ptr @at(ptr %a)
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %none = icmp eq ptr %memory, null
  br i1 %none, label %cleanup, label %begin
begin:
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resume
                             i8 1, label %cleanup ]
resume:
  store i32 7, ptr %p
  call void @use(ptr %a)
  br label %cleanup
cleanup:
  %h = phi ptr [ null, %entry ], [ %handle, %resume ], [ %handle, %begin ]
  %freed = call ptr @llvm.coro.free(token %id, ptr %h)
  call void @free(ptr %freed)
  br label %out
out:
  %h2 = phi ptr [ %handle, %begin ], [ %h, %cleanup ]
  call void @llvm.coro.end(ptr %h2, i1 false, token none)
  ret ptr %h2
}

define ptr @throws(i32 %x) presplitcoroutine personality ptr @__gxx_personality_v0 {
entry:
  %a = alloca [4 x i32]
  store i32 %x, ptr %a
  %p = invoke ptr @at(ptr %a) to label %start unwind label %thrown
thrown:
  %e = landingpad { ptr, i32 } cleanup
  call void @use(ptr %a)
  resume { ptr, i32 } %e
start:
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

define ptr @tail(i32 %x) presplitcoroutine {
entry:
  %a = alloca [4 x i32]
  store i32 %x, ptr %a
  %p = call ptr @at(ptr %a)
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %none = icmp eq i32 %x, 0
  br i1 %none, label %failed, label %begin
failed:
  %r = musttail call ptr @tail(i32 3)
  ret ptr %r
begin:
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


declare ptr @malloc(i64)
declare void @free(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
