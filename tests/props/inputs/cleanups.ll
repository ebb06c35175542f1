; Each suspend has a cleanup of its own, with values that only the cleanup needs.
; oracle: f(i32 1)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %x = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store i32 %n, ptr %x
  %r1 = call i32 @pick()
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %one
    i8 1, label %destroy.one ]

one:
  %r2 = call i32 @pick()
  store i32 %r2, ptr %x
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %two
    i8 1, label %destroy.two ]

two:
  %r3 = call i32 @pick()
  %s3 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s3, label %out [ i8 0, label %three
    i8 1, label %destroy.three ]

three:
  call void @print(i32 0)
  br label %destroy.three

destroy.three:
  %z = phi i32 [ 1, %two ], [ 2, %three ]
  call void @print(i32 %r3)
  call void @print(i32 %z)
  br label %destroy.two

destroy.two:
  %y = phi i32 [ %r2, %one ], [ %r3, %destroy.three ]
  call void @print(i32 %y)
  br label %destroy.one

destroy.one:
  call void @print(i32 %r1)
  %left = load i32, ptr %x
  call void @print(i32 %left)
  br label %cleanup

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
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
