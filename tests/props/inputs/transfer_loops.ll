; Two coroutines that hand over to each other where tail calls are forbidden: pycoro loops, LLVM jumps all the same.
; oracle: main()

define ptr @player(i32 %n) presplitcoroutine "disable-tail-calls"="true" {
entry:
  %promise = alloca { ptr, i32 }
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %count = getelementptr inbounds { ptr, i32 }, ptr %promise, i32 0, i32 1
  store i32 %n, ptr %count
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s0, label %out [ i8 0, label %loop
    i8 1, label %cleanup ]

loop:
  %save = call token @llvm.coro.save(ptr null)
  call void @llvm.coro.await.suspend.handle(ptr %promise, ptr %hdl, ptr @other)
  %s1 = call i8 @llvm.coro.suspend(token %save, i1 false)
  switch i8 %s1, label %out [ i8 0, label %loop
    i8 1, label %cleanup ]

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define internal ptr @other(ptr %awaiter, ptr %hdl) {
  %count = getelementptr inbounds { ptr, i32 }, ptr %awaiter, i32 0, i32 1
  %c = load i32, ptr %count
  %rest = urem i32 %c, 1000
  %tell = icmp eq i32 %rest, 0
  br i1 %tell, label %say, label %go

say:
  call void @print(i32 %c)
  br label %go

go:
  %end = icmp eq i32 %c, 0
  br i1 %end, label %stop, label %next

stop:
  %noop = call ptr @llvm.coro.noop()
  ret ptr %noop

next:
  %less = sub i32 %c, 1
  store i32 %less, ptr %count
  %h = load ptr, ptr %awaiter
  ret ptr %h
}

define void @main() {
  %a = call ptr @player(i32 20000)
  %b = call ptr @player(i32 20000)
  %pa = call ptr @llvm.coro.promise(ptr %a, i32 8, i1 false)
  %pb = call ptr @llvm.coro.promise(ptr %b, i32 8, i1 false)
  store ptr %b, ptr %pa
  store ptr %a, ptr %pb
  call void @llvm.coro.resume(ptr %a)
  call void @llvm.coro.destroy(ptr %a)
  call void @llvm.coro.destroy(ptr %b)
  ret void
}

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
