; Swifterror variables that are passed on both sides of a suspend, changed in between.
; oracle: f(i32 3)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %error = alloca swifterror ptr
  %other = alloca swifterror ptr
  store ptr inttoptr (i64 10 to ptr), ptr %error
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br label %loop

loop:
  %i = phi i32 [ %n, %entry ], [ %less, %step ]
  call swiftcc void @add(i32 %i, ptr swifterror %error)
  store ptr inttoptr (i64 500 to ptr), ptr %other
  %even = trunc i32 %i to i1
  br i1 %even, label %wait, label %more

more:
  call swiftcc void @add(i32 %n, ptr swifterror %other)
  br label %wait

wait:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %again
    i8 1, label %cleanup ]

again:
  call void @say(i32 1, ptr null)
  %first = load ptr, ptr %error
  call void @say(i32 2, ptr %first)
  %second = load ptr, ptr %other
  call void @say(i32 3, ptr %second)
  %over = icmp eq i32 %i, 0
  br i1 %over, label %cleanup, label %step

step:
  %less = sub i32 %i, 1
  br label %loop

cleanup:
  %last = load ptr, ptr %error
  call void @say(i32 4, ptr %last)
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define swiftcc void @add(i32 %by, ptr swifterror %error) noinline {
  %old = load ptr, ptr %error
  %number = ptrtoint ptr %old to i64
  %wide = zext i32 %by to i64
  %sum = add i64 %number, %wide
  %new = inttoptr i64 %sum to ptr
  store ptr %new, ptr %error
  ret void
}

define void @say(i32 %where, ptr %what) {
  call void @print(i32 %where)
  %number = ptrtoint ptr %what to i64
  call void @print64(i64 %number)
  ret void
}

declare void @print(i32)
declare void @print64(i64)
declare ptr @malloc(i64)
declare void @free(ptr)
