; One value of each kind of type crosses a suspend.
; oracle: f(i8 1, i16 2, i32 3, i64 4, float 1.5, double 2.5, i1 true)

define ptr @f(i8 %a, i16 %b, i32 %c, i64 %d, float %e, double %g, i1 %h) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %i33 = zext i32 %c to i33
  %big = shl i33 %i33, 31
  %w = zext i64 %d to i128
  %wide = shl i128 %w, 70
  %call = call i32 @pick()
  %v0 = insertelement <4 x i32> zeroinitializer, i32 %call, i32 1
  %vec = insertelement <4 x i32> %v0, i32 %c, i32 3
  %st0 = insertvalue { i8, i64 } poison, i8 %a, 0
  %st = insertvalue { i8, i64 } %st0, i64 %d, 1
  %ar0 = insertvalue [2 x i16] poison, i16 %b, 0
  %ar = insertvalue [2 x i16] %ar0, i16 7, 1
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %one
    i8 1, label %cleanup ]

one:
  call void @print8(i8 %a)
  %b32 = sext i16 %b to i32
  call void @print(i32 %b32)
  %cut = lshr i33 %big, 31
  %c32 = trunc i33 %cut to i32
  call void @print(i32 %c32)
  %down = lshr i128 %wide, 69
  %d64 = trunc i128 %down to i64
  call void @print64(i64 %d64)
  call void @printfl(float %e)
  call void @printd(double %g)
  %h8 = zext i1 %h to i8
  call void @print8(i8 %h8)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %two
    i8 1, label %cleanup ]

two:
  %x1 = extractelement <4 x i32> %vec, i32 1
  %x3 = extractelement <4 x i32> %vec, i32 3
  %xs = add i32 %x1, %x3
  call void @print(i32 %xs)
  %f1 = extractvalue { i8, i64 } %st, 1
  call void @print64(i64 %f1)
  %e0 = extractvalue [2 x i16] %ar, 0
  %e1 = extractvalue [2 x i16] %ar, 1
  %es = add i16 %e0, %e1
  %ew = sext i16 %es to i32
  call void @print(i32 %ew)
  call void @printd(double %g)
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
declare void @print8(i8)
declare void @print64(i64)
declare void @printd(double)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @pick()
declare void @printfl(float)
