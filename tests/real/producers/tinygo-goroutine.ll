; producer: TinyGo 0.18
; llvm: 11
; abi: switch
; expect: 10 20 0 1 42 -1
;
; Goroutines as TinyGo's coroutine scheduler emitted them: a coroutine returns an undefined value instead of a handle,
; stores the handle in its task, receives a result through the address of an alloca, and frees its frame without a final
; suspend. The module is in LLVM 11's dialect: typed pointers, and llvm.coro.end with a result.

declare i8* @take(i64)
declare void @give(i8*)
declare void @report(i32)
declare void @task_enqueue(i8*)
declare i8* @task_set_state(i8*, i8*)
declare i8* @task_return_pointer(i8*)
declare void @task_set_return_pointer(i8*, i8*)
declare i8* @task_create()
declare i8* @task_next()
declare i32 @frames()

declare token @llvm.coro.id(i32, i8* readnone, i8* nocapture readonly, i8*)
declare i32 @llvm.coro.size.i32()
declare i8* @llvm.coro.begin(token, i8* writeonly)
declare i8 @llvm.coro.suspend(token, i1)
declare i1 @llvm.coro.end(i8*, i1)
declare i8* @llvm.coro.free(token, i8* nocapture readonly)
declare token @llvm.coro.save(i8*)
declare void @llvm.coro.resume(i8*)
declare void @llvm.lifetime.start.p0i8(i64 immarg, i8* nocapture)
declare void @llvm.lifetime.end.p0i8(i64 immarg, i8* nocapture)

define i32 @delayedValue(i32 %value, i8* %parentHandle) {
entry:
  %ret.ptr = call i8* @task_return_pointer(i8* %parentHandle)
  %ret.ptr.bitcast = bitcast i8* %ret.ptr to i32*
  store i32 %value, i32* %ret.ptr.bitcast
  call void @task_enqueue(i8* %parentHandle)
  ret i32 undef
}

define i1 @isZero(i32 %value, i8* %parentHandle) {
entry:
  %call.return = alloca i32
  %coro.id = call token @llvm.coro.id(i32 0, i8* null, i8* null, i8* null)
  %coro.size = call i32 @llvm.coro.size.i32()
  %coro.size.wide = zext i32 %coro.size to i64
  %coro.alloc = call i8* @take(i64 %coro.size.wide)
  %coro.state = call i8* @llvm.coro.begin(token %coro.id, i8* %coro.alloc)
  %task.state.parent = call i8* @task_set_state(i8* %parentHandle, i8* %coro.state)
  %task.retPtr = call i8* @task_return_pointer(i8* %parentHandle)
  %call.return.bitcast = bitcast i32* %call.return to i8*
  call void @llvm.lifetime.start.p0i8(i64 4, i8* %call.return.bitcast)
  call void @task_set_return_pointer(i8* %parentHandle, i8* %call.return.bitcast)
  %unused.value = call i32 @delayedValue(i32 %value, i8* %parentHandle)
  %coro.save = call token @llvm.coro.save(i8* %coro.state)
  %call.suspend = call i8 @llvm.coro.suspend(token %coro.save, i1 false)
  switch i8 %call.suspend, label %suspend [
    i8 0, label %wakeup
    i8 1, label %cleanup
  ]

wakeup:
  %awaited = load i32, i32* %call.return
  call void @llvm.lifetime.end.p0i8(i64 4, i8* %call.return.bitcast)
  %zero = icmp eq i32 %awaited, 0
  %byte = zext i1 %zero to i8
  store i8 %byte, i8* %task.retPtr
  %unused.state = call i8* @task_set_state(i8* %parentHandle, i8* %task.state.parent)
  %parent.waits = icmp ne i8* %task.state.parent, null
  br i1 %parent.waits, label %wake.parent, label %cleanup

wake.parent:
  call void @task_enqueue(i8* %parentHandle)
  br label %cleanup

suspend:
  %unused = call i1 @llvm.coro.end(i8* %coro.state, i1 false)
  ret i1 undef

cleanup:
  %coro.memFree = call i8* @llvm.coro.free(token %coro.id, i8* %coro.state)
  call void @give(i8* %coro.memFree)
  br label %suspend
}

define void @progMain(i8* %parentHandle) {
entry:
  %first.return = alloca i8
  %second.return = alloca i8
  %coro.id = call token @llvm.coro.id(i32 0, i8* null, i8* null, i8* null)
  %coro.size = call i32 @llvm.coro.size.i32()
  %coro.size.wide = zext i32 %coro.size to i64
  %coro.alloc = call i8* @take(i64 %coro.size.wide)
  %coro.state = call i8* @llvm.coro.begin(token %coro.id, i8* %coro.alloc)
  %task.state.parent = call i8* @task_set_state(i8* %parentHandle, i8* %coro.state)
  call void @report(i32 10)
  call void @task_set_return_pointer(i8* %parentHandle, i8* %first.return)
  %unused.first = call i1 @isZero(i32 7, i8* %parentHandle)
  %coro.save = call token @llvm.coro.save(i8* %coro.state)
  %call.suspend = call i8 @llvm.coro.suspend(token %coro.save, i1 false)
  switch i8 %call.suspend, label %suspend [
    i8 0, label %wakeup
    i8 1, label %cleanup
  ]

wakeup:
  call void @report(i32 20)
  call void @task_set_return_pointer(i8* %parentHandle, i8* %second.return)
  %unused.second = call i1 @isZero(i32 0, i8* %parentHandle)
  %coro.save2 = call token @llvm.coro.save(i8* %coro.state)
  %call.suspend2 = call i8 @llvm.coro.suspend(token %coro.save2, i1 false)
  switch i8 %call.suspend2, label %suspend [
    i8 0, label %wakeup2
    i8 1, label %cleanup
  ]

wakeup2:
  %first = load i8, i8* %first.return
  %first.wide = zext i8 %first to i32
  call void @report(i32 %first.wide)
  %second = load i8, i8* %second.return
  %second.wide = zext i8 %second to i32
  call void @report(i32 %second.wide)
  call void @report(i32 42)
  br label %cleanup

suspend:
  %unused = call i1 @llvm.coro.end(i8* %coro.state, i1 false)
  ret void

cleanup:
  %coro.memFree = call i8* @llvm.coro.free(token %coro.id, i8* %coro.state)
  call void @give(i8* %coro.memFree)
  br label %suspend
}

define void @run() {
entry:
  %task = call i8* @task_create()
  call void @progMain(i8* %task)
  br label %scheduler

scheduler:
  %state = call i8* @task_next()
  %idle = icmp eq i8* %state, null
  br i1 %idle, label %done, label %resume

resume:
  call void @llvm.coro.resume(i8* %state)
  br label %scheduler

done:
  %live = call i32 @frames()
  %result = sub i32 %live, 1
  call void @report(i32 %result)
  ret void
}
