; fn generator GenSequence(u32 num) : f32 { for i in 0..num: yield f32(i) } and a caller that takes all: 0 1 2 ... num - 1.

define void @Foo(i32 %num) {
entry:
  %gen = call ptr @GenSequence(i32 %num)
  br label %loop

loop:
  %done.before = call i1 @llvm.coro.done(ptr %gen)
  br i1 %done.before, label %end, label %advance

advance:
  call void @llvm.coro.resume(ptr %gen)
  %done.after = call i1 @llvm.coro.done(ptr %gen)
  br i1 %done.after, label %end, label %take

take:
  %x = call ptr @llvm.coro.promise(ptr %gen, i32 4, i1 false)
  %v = load float, ptr %x
  call void @print_float(float %v)
  br label %loop

end:
  call void @llvm.coro.destroy(ptr %gen)
  ret void
}

define ptr @GenSequence(i32 %num) presplitcoroutine {
entry:
  %promise = alloca float, align 4
  %i.addr = alloca i32, align 4
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
  store i32 0, ptr %i.addr
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s0, label %suspend [ i8 0, label %test
                                  i8 1, label %cleanup ]

test:
  %i = load i32, ptr %i.addr
  %in = icmp ult i32 %i, %num
  br i1 %in, label %yield, label %final

yield:
  %value = uitofp i32 %i to float
  store float %value, ptr %promise
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %suspend [ i8 0, label %step
                                  i8 1, label %cleanup ]

step:
  %old = load i32, ptr %i.addr
  %new = add i32 %old, 1
  store i32 %new, ptr %i.addr
  br label %test

final:
  %s2 = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s2, label %suspend [ i8 0, label %never
                                  i8 1, label %cleanup ]

never:
  unreachable

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  %was = icmp ne ptr %dead, null
  br i1 %was, label %release, label %suspend

release:
  call void @free(ptr %dead)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define i32 @main() {
  call void @Foo(i32 4)
  call void @Foo(i32 0)
  ret i32 0
}

declare void @print_float(float)
declare ptr @malloc(i64)
declare void @free(ptr)
