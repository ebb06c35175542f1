; memcpy and volatile and atomic accesses of variables on the frame.
; oracle: f(i32 6)

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %a = alloca [4 x i32]
  %b = alloca [4 x i32]
  %c = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  call void @llvm.memset.p0.i64(ptr %a, i8 1, i64 16, i1 false)
  %a2 = getelementptr inbounds i32, ptr %a, i64 2
  store volatile i32 %n, ptr %a2
  store atomic i32 40, ptr %c seq_cst, align 4
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %out [ i8 0, label %one
    i8 1, label %cleanup ]

one:
  call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %a, i64 16, i1 false)
  %old = atomicrmw add ptr %c, i32 2 seq_cst
  call void @print(i32 %old)
  %s2 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s2, label %out [ i8 0, label %two
    i8 1, label %cleanup ]

two:
  %b2 = getelementptr inbounds i32, ptr %b, i64 2
  %v = load volatile i32, ptr %b2
  call void @print(i32 %v)
  %w = load i32, ptr %b
  call void @print(i32 %w)
  %x = load atomic i32, ptr %c acquire, align 4
  call void @print(i32 %x)
  %pair = cmpxchg ptr %c, i32 42, i32 50 seq_cst seq_cst
  %ok = extractvalue { i32, i1 } %pair, 1
  %bit = zext i1 %ok to i32
  call void @print(i32 %bit)
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
