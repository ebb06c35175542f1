; def coroutine(n): for i in range(n): yield i
; A Python frontend's translation: it starts suspended, yields through the promise, and ends at a final suspend.
; @next is __next__: 1 and the value, or 0 for StopIteration.

define ptr @coroutine(i32 %n) presplitcoroutine {
entry:
  %current = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %current, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call noalias ptr @llvm.coro.begin(token %id, ptr %mem)
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s0, label %suspend [ i8 0, label %for
                                  i8 1, label %cleanup ]

for:
  %i = phi i32 [ 0, %entry ], [ %i.next, %step ]
  %in = icmp slt i32 %i, %n
  br i1 %in, label %body, label %final

body:
  store i32 %i, ptr %current
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %suspend [ i8 0, label %step
                                  i8 1, label %cleanup ]

step:
  %i.next = add nsw i32 %i, 1
  br label %for

final:
  %s2 = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s2, label %suspend [ i8 0, label %trap
                                  i8 1, label %cleanup ]

trap:
  unreachable

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define i1 @next(ptr %hdl, ptr %value) {
  call void @llvm.coro.resume(ptr %hdl)
  %done = call i1 @llvm.coro.done(ptr %hdl)
  br i1 %done, label %stop, label %yielded

yielded:
  %promise = call ptr @llvm.coro.promise(ptr %hdl, i32 4, i1 false)
  %v = load i32, ptr %promise
  store i32 %v, ptr %value
  ret i1 true

stop:
  ret i1 false
}

define i32 @main() {
entry:
  %value = alloca i32
  %hdl = call ptr @coroutine(i32 5)
  br label %loop

loop:
  %more = call i1 @next(ptr %hdl, ptr %value)
  br i1 %more, label %show, label %end

show:
  %v = load i32, ptr %value
  call void @print(i32 %v)
  br label %loop

end:
  call void @llvm.coro.destroy(ptr %hdl)
  ret i32 0
}

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
