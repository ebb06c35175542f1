; Allocation that may be elided: coro.alloc says whether to allocate, coro.free gives null where nothing was. 4 5 6.

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %start

allocate:
  %size = call i32 @llvm.coro.size.i32()
  %mem = call ptr @CustomAlloc(i32 %size)
  br label %start

start:
  %frame = phi ptr [ null, %entry ], [ %mem, %allocate ]
  %hdl = call noalias ptr @llvm.coro.begin(token %id, ptr %frame)
  br label %loop

loop:
  %now = phi i32 [ %n, %start ], [ %next, %loop ]
  %next = add nsw i32 %now, 1
  call void @print(i32 %now)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %suspend [ i8 0, label %loop
                                 i8 1, label %cleanup ]

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  %was = icmp ne ptr %dead, null
  br i1 %was, label %release, label %suspend

release:
  call void @CustomFree(ptr %dead)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define i32 @main() {
  %hdl = call ptr @f(i32 4)
  call void @llvm.coro.resume(ptr %hdl)
  call void @llvm.coro.resume(ptr %hdl)
  call void @llvm.coro.destroy(ptr %hdl)
  ret i32 0
}

declare void @print(i32)
declare ptr @CustomAlloc(i32)
declare void @CustomFree(ptr)
