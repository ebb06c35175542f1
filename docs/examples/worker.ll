; Two steps with a suspend before each. The second suspend has its own return, a bug that `pycoro lint` explains.
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @print(i32)

define ptr @worker() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin

allocate:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  br label %begin

begin:
  %place = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %place)
  %first = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %first, label %suspend [ i8 0, label %step.1  i8 1, label %cleanup ]

step.1:
  call void @print(i32 1)
  %second = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %second, label %suspend.1 [ i8 0, label %step.2  i8 1, label %cleanup ]

suspend.1:
  ret ptr %handle

step.2:
  call void @print(i32 2)
  br label %cleanup

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %dead)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
