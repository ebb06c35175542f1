; A switch over what a function says leads to different suspends, or to none.
; oracle: f(i32 10) returns pick=0,1,2,3
; oracle: f(i32 10) returns pick=3,3,2,0,1
; oracle: f(i32 1) returns pick=2,9

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br label %loop

loop:
  %i = phi i32 [ %n, %entry ], [ %zero, %got.zero ], [ %one, %got.one ], [ %skip, %skipped ]
  %p = call i32 @pick()
  switch i32 %p, label %end [ i32 0, label %case.zero
    i32 1, label %case.one
    i32 3, label %skipped ]

case.zero:
  %t = mul i32 %i, %p
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s0, label %out [ i8 0, label %got.zero
    i8 1, label %cleanup ]

got.zero:
  %zero = add i32 %i, %t
  call void @print(i32 %zero)
  br label %loop

case.one:
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %got.one
    i8 1, label %cleanup ]

got.one:
  %one = add i32 %i, %p
  call void @print(i32 %one)
  br label %loop

skipped:
  %skip = add i32 %i, 100
  call void @print(i32 %skip)
  br label %loop

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

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @pick()
