; A byval parameter has two addresses in LLVM's ramp: PHIs have the frame's, compares the caller's.
declare void @report_i1(i1)
declare ptr @malloc(i64)
declare void @free(ptr)

define ptr @f(i1 %c, ptr byval(i32) align 8 %a) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br i1 %c, label %wait, label %join

wait:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %cleanup ]

resumed:
  br label %join

join:
  %p = phi ptr [ %a, %entry ], [ %a, %resumed ]
  %same = icmp eq ptr %p, %a
  call void @report_i1(i1 %same)
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %out [ i8 0, label %cleanup
                             i8 1, label %cleanup ]

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
