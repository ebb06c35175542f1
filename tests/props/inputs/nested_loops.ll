; A suspend in an inner loop and one in the outer: counters of both live across both.
; oracle: f(i32 3)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br label %outer

outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.resumed ]
  br label %inner

inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner.resumed ]
  %both = mul i32 %i, 10
  %id.both = add i32 %both, %j
  call void @print(i32 %id.both)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %inner.resumed
    i8 1, label %cleanup ]

inner.resumed:
  %j.next = add i32 %j, 1
  %j.in = icmp ult i32 %j, %i
  br i1 %j.in, label %inner, label %inner.done

inner.done:
  call void @print(i32 -1)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %outer.resumed
    i8 1, label %cleanup ]

outer.resumed:
  %i.next = add i32 %i, 1
  %i.in = icmp ult i32 %i.next, %n
  br i1 %i.in, label %outer, label %end

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
