; The handle is returned as a number, and the ramp computes after the end.
; oracle: main()

define i64 @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  call void @print(i32 %n)
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %one
    i8 1, label %cleanup ]

one:
  call void @print(i32 %n)
  br label %cleanup

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  %number = ptrtoint ptr %hdl to i64
  ret i64 %number
}

define void @main() {
  %number = call i64 @f(i32 8)
  %h = inttoptr i64 %number to ptr
  call void @llvm.coro.resume(ptr %h)
  ret void
}

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
