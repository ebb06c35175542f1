; fn generator SimpleGen() : i32 { yield 12345; } and a caller that advances it once: 12345.
; Three suspend points, the first before anything is done and a final one. The document's `coro.end(ptr, i1)` returns
; i1; today's takes a token as well and returns nothing.

define void @Foo() {
entry:
  %gen = call ptr @SimpleGen()
  %done.before = call i1 @llvm.coro.done(ptr %gen)
  br i1 %done.before, label %else, label %advance

advance:
  call void @llvm.coro.resume(ptr %gen)
  %done.after = call i1 @llvm.coro.done(ptr %gen)
  br i1 %done.after, label %else, label %advanced

advanced:
  %x = call ptr @llvm.coro.promise(ptr %gen, i32 4, i1 false)
  %v = load i32, ptr %x
  call void @print(i32 %v)
  call void @llvm.coro.destroy(ptr %gen)
  ret void

else:
  call void @halt()
  unreachable
}

define ptr @SimpleGen() presplitcoroutine {
allocations:
  br label %code

code:
  %promise = alloca i32, align 4
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %start

allocate:
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  br label %start

start:
  %frame = phi ptr [ null, %code ], [ %mem, %allocate ]
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %frame)
  br label %body

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

final:
  %s2 = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s2, label %suspend [ i8 0, label %never
                                  i8 1, label %cleanup ]

never:
  unreachable

body:
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s0, label %suspend [ i8 0, label %yield
                                  i8 1, label %destroyed0 ]

destroyed0:
  br label %cleanup

yield:
  store i32 12345, ptr %promise, align 4
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %suspend [ i8 0, label %end
                                  i8 1, label %destroyed1 ]

destroyed1:
  br label %cleanup

end:
  br label %final
}

define i32 @main() {
  call void @Foo()
  ret i32 0
}

declare void @print(i32)
declare void @halt()
declare ptr @malloc(i64)
declare void @free(ptr)
