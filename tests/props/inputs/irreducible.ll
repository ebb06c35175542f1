; A loop with two entries, and a suspend on each side.
; oracle: f(i1 true, i32 1)
; oracle: f(i1 false, i32 1)

define ptr @f(i1 %which, i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %k = call i32 @pick()
  br i1 %which, label %a, label %b

a:
  %x = phi i32 [ %n, %entry ], [ %y1, %b.resumed ]
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %a.resumed
                              i8 1, label %cleanup ]

a.resumed:
  %x1 = add i32 %x, %k
  call void @print(i32 %x1)
  br label %b

b:
  %y = phi i32 [ %n, %entry ], [ %x1, %a.resumed ]
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %b.resumed
                              i8 1, label %cleanup ]

b.resumed:
  %y1 = mul i32 %y, 3
  call void @print(i32 %y1)
  br label %a

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
