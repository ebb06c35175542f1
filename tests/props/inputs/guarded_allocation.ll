; Allocation behind coro.alloc and release behind coro.free, with a value that crosses computed before both.
; oracle: f(i32 4)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %v = call i32 @pick()
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %alloc, label %begin

alloc:
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  br label %begin

begin:
  %frame = phi ptr [ null, %entry ], [ %mem, %alloc ]
  %extra = phi i32 [ 1, %entry ], [ %v, %alloc ]
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %frame)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %one
    i8 1, label %cleanup ]

one:
  call void @print(i32 %v)
  call void @print(i32 %extra)
  call void @print(i32 %n)
  %last = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %last, label %out [ i8 0, label %never
    i8 1, label %cleanup ]

never:
  unreachable

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  %was = icmp ne ptr %dead, null
  br i1 %was, label %release, label %out

release:
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @pick()
