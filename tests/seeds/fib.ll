; The generator of five numbers that a C++ frontend makes of `for (int i = 0; i < 5; i++) co_yield i;`, and the main
; that sums them: 0 + 1 + 2 + 3 + 4 - 10 is the exit status, 0.

define ptr @fib() presplitcoroutine {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %start

allocate:
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  br label %start

start:
  %frame = phi ptr [ null, %entry ], [ %mem, %allocate ]
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %frame)
  store i32 0, ptr %promise
  %save0 = call token @llvm.coro.save(ptr null)
  %s0 = call i8 @llvm.coro.suspend(token %save0, i1 false)
  switch i8 %s0, label %return [ i8 0, label %init.ready
                                 i8 1, label %cleanup ]

init.ready:
  %i.addr = alloca i32
  call void @llvm.lifetime.start.p0(ptr %i.addr)
  store i32 0, ptr %i.addr
  br label %for.cond

for.cond:
  %i = load i32, ptr %i.addr
  %in = icmp slt i32 %i, 5
  br i1 %in, label %for.body, label %for.end

for.body:
  store i32 %i, ptr %promise
  %save1 = call token @llvm.coro.save(ptr null)
  %s1 = call i8 @llvm.coro.suspend(token %save1, i1 false)
  switch i8 %s1, label %return [ i8 0, label %for.inc
                                 i8 1, label %for.destroyed ]

for.inc:
  %old = load i32, ptr %i.addr
  %new = add nsw i32 %old, 1
  store i32 %new, ptr %i.addr
  br label %for.cond

for.destroyed:
  call void @llvm.lifetime.end.p0(ptr %i.addr)
  br label %cleanup

for.end:
  call void @llvm.lifetime.end.p0(ptr %i.addr)
  %save2 = call token @llvm.coro.save(ptr null)
  %s2 = call i8 @llvm.coro.suspend(token %save2, i1 true)
  switch i8 %s2, label %return [ i8 0, label %never
                                 i8 1, label %cleanup ]

never:
  unreachable

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  %was = icmp ne ptr %dead, null
  br i1 %was, label %release, label %return

release:
  call void @free(ptr %dead)
  br label %return

return:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

define i1 @move_next(ptr %hdl) {
  call void @llvm.coro.resume(ptr %hdl)
  %done = call i1 @llvm.coro.done(ptr %hdl)
  %more = xor i1 %done, true
  ret i1 %more
}

define i32 @current_value(ptr %hdl) {
  %promise = call ptr @llvm.coro.promise(ptr %hdl, i32 4, i1 false)
  %v = load i32, ptr %promise
  ret i32 %v
}

define i32 @main() {
entry:
  %g = call ptr @fib()
  br label %while.cond

while.cond:
  %sum = phi i32 [ 0, %entry ], [ %plus, %while.body ]
  %more = call i1 @move_next(ptr %g)
  br i1 %more, label %while.body, label %while.end

while.body:
  %v = call i32 @current_value(ptr %g)
  %plus = add nsw i32 %sum, %v
  br label %while.cond

while.end:
  call void @llvm.coro.destroy(ptr %g)
  call void @print(i32 %sum)
  %status = sub nsw i32 %sum, 10
  ret i32 %status
}

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
