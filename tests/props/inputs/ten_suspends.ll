; Ten suspends in a row and a final one: the index takes four bits, some values live long.
; oracle: f()

define ptr @f() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br label %b0

b0:
  %v0 = call i32 @pick()
  call void @print(i32 %v0)
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s0, label %out [ i8 0, label %b1
    i8 1, label %cleanup ]

b1:
  %v1 = call i32 @pick()
  call void @print(i32 %v1)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %b2
    i8 1, label %cleanup ]

b2:
  %v2 = call i32 @pick()
  call void @print(i32 %v2)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %b3
    i8 1, label %cleanup ]

b3:
  %v3 = call i32 @pick()
  call void @print(i32 %v3)
  %s3 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s3, label %out [ i8 0, label %b4
    i8 1, label %cleanup ]

b4:
  %v4 = call i32 @pick()
  call void @print(i32 %v4)
  %s4 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s4, label %out [ i8 0, label %b5
    i8 1, label %cleanup ]

b5:
  %v5 = call i32 @pick()
  call void @print(i32 %v5)
  %s5 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s5, label %out [ i8 0, label %b6
    i8 1, label %cleanup ]

b6:
  %v6 = call i32 @pick()
  call void @print(i32 %v6)
  %s6 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s6, label %out [ i8 0, label %b7
    i8 1, label %cleanup ]

b7:
  %v7 = call i32 @pick()
  call void @print(i32 %v7)
  %s7 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s7, label %out [ i8 0, label %b8
    i8 1, label %cleanup ]

b8:
  %v8 = call i32 @pick()
  call void @print(i32 %v8)
  %s8 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s8, label %out [ i8 0, label %b9
    i8 1, label %cleanup ]

b9:
  %v9 = call i32 @pick()
  call void @print(i32 %v9)
  %s9 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s9, label %out [ i8 0, label %b10
    i8 1, label %cleanup ]

b10:
  call void @print(i32 %v0)
  call void @print(i32 %v3)
  call void @print(i32 %v6)
  call void @print(i32 %v9)
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

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @pick()
