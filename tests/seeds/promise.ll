; The promise carries each number to whoever resumes the coroutine: 4 5 6, printed by the caller.

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %start

allocate:
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  br label %start

start:
  %frame = phi ptr [ null, %entry ], [ %mem, %allocate ]
  %hdl = call noalias ptr @llvm.coro.begin(token %id, ptr %frame)
  br label %loop

loop:
  %now = phi i32 [ %n, %start ], [ %next, %loop ]
  %next = add nsw i32 %now, 1
  store i32 %now, ptr %promise
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [ i8 0, label %loop
                                 i8 1, label %cleanup ]

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define i32 @main() {
  %hdl = call ptr @f(i32 4)
  %promise = call ptr @llvm.coro.promise(ptr %hdl, i32 4, i1 false)
  %v0 = load i32, ptr %promise
  call void @print(i32 %v0)
  call void @llvm.coro.resume(ptr %hdl)
  %v1 = load i32, ptr %promise
  call void @print(i32 %v1)
  call void @llvm.coro.resume(ptr %hdl)
  %v2 = load i32, ptr %promise
  call void @print(i32 %v2)
  call void @llvm.coro.destroy(ptr %hdl)
  ret i32 0
}

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
