; The way out of a suspend has blocks of its own, which the ramp alone takes with its values; a loop in the
; cleanup.
; oracle: f(i32 3)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %v = call i32 @pick()
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %leave.one [ i8 0, label %one
                                    i8 1, label %unwind ]

one:
  %w = call i32 @pick()
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %leave.two [ i8 0, label %two
                                    i8 1, label %unwind ]

two:
  call void @print(i32 %w)
  br label %unwind

leave.one:
  br label %out

leave.two:
  br label %out

unwind:
  %from = phi i32 [ %v, %entry ], [ %w, %one ], [ 9, %two ]
  br label %unwinding

unwinding:
  %c = phi i32 [ %n, %unwind ], [ %less, %unwinding ]
  call void @print(i32 %c)
  %less = sub i32 %c, 1
  %end = icmp eq i32 %less, 0
  br i1 %end, label %unwound, label %unwinding

unwound:
  call void @print(i32 %from)
  br label %cleanup

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %out

out:
  %how = phi i32 [ 0, %cleanup ], [ 1, %leave.one ], [ 2, %leave.two ]
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  call void @print(i32 %how)
  ret ptr %hdl
}

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @pick()
