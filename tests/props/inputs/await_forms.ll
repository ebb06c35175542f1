; coro.await.suspend.void and .bool: an awaiter on the frame; the second suspends unless it says otherwise.
; oracle: f(i32 20)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %awaiter = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store i32 %n, ptr %awaiter
  %save1 = call token @llvm.coro.save(ptr null)
  call void @llvm.coro.await.suspend.void(ptr %awaiter, ptr %hdl, ptr @start_void)
  %s1 = call i8 @llvm.coro.suspend(token %save1, i1 false)
  switch i8 %s1, label %out [ i8 0, label %one
    i8 1, label %cleanup ]

one:
  %save2 = call token @llvm.coro.save(ptr null)
  %wait = call i1 @llvm.coro.await.suspend.bool(ptr %awaiter, ptr %hdl, ptr @start_bool)
  br i1 %wait, label %suspending, label %ready

suspending:
  %s2 = call i8 @llvm.coro.suspend(token %save2, i1 false)
  switch i8 %s2, label %out [ i8 0, label %ready
    i8 1, label %cleanup ]

ready:
  %v = load i32, ptr %awaiter
  call void @print(i32 %v)
  %more = icmp ult i32 %v, 24
  br i1 %more, label %one, label %end

end:
  %last = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %last, label %out [ i8 0, label %never
    i8 1, label %cleanup ]

never:
  unreachable

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define internal void @start_void(ptr %awaiter, ptr %hdl) {
  %v = load i32, ptr %awaiter
  call void @print(i32 %v)
  ret void
}

define internal i1 @start_bool(ptr %awaiter, ptr %hdl) {
  %v = load i32, ptr %awaiter
  call void @print(i32 %v)
  %w = add i32 %v, 1
  store i32 %w, ptr %awaiter
  %c = icmp ne i32 %v, 21
  ret i1 %c
}

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
