; The caller resumes until the coroutine is at its final suspend, then destroys it: 4 3 2 1, and then "done" as 0.

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call noalias ptr @llvm.coro.begin(token %id, ptr %mem)
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s0, label %suspend [ i8 0, label %loop
                                  i8 1, label %cleanup ]

loop:
  %now = phi i32 [ %n, %entry ], [ %next, %more ]
  call void @print(i32 %now)
  %next = sub nsw i32 %now, 1
  %end = icmp eq i32 %next, 0
  br i1 %end, label %final, label %yield

yield:
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %suspend [ i8 0, label %more
                                  i8 1, label %cleanup ]

more:
  br label %loop

final:
  %s2 = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s2, label %suspend [ i8 0, label %trap
                                  i8 1, label %cleanup ]

trap:
  call void @llvm.trap()
  unreachable

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define i32 @main() {
entry:
  %hdl = call ptr @f(i32 4)
  br label %while

while:
  call void @llvm.coro.resume(ptr %hdl)
  %done = call i1 @llvm.coro.done(ptr %hdl)
  br i1 %done, label %end, label %while

end:
  call void @llvm.coro.destroy(ptr %hdl)
  call void @print(i32 0)
  ret i32 0
}

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
