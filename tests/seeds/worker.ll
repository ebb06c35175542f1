; The worker in its right form: the default case of every suspend goes to one shared block, which calls coro.end and
; returns the handle. Three steps, with a suspend after each of the first two and a final one.

define ptr @worker() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %coro.alloc, label %coro.begin

coro.alloc:
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  br label %coro.begin

coro.begin:
  %frame = phi ptr [ null, %entry ], [ %mem, %coro.alloc ]
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %frame)
  %n1 = call i32 @puts(ptr @step1)
  %save1 = call token @llvm.coro.save(ptr null)
  %s1 = call i8 @llvm.coro.suspend(token %save1, i1 false)
  switch i8 %s1, label %suspend [ i8 0, label %second
                                  i8 1, label %cleanup ]

second:
  %n2 = call i32 @puts(ptr @step2)
  %save2 = call token @llvm.coro.save(ptr null)
  %s2 = call i8 @llvm.coro.suspend(token %save2, i1 false)
  switch i8 %s2, label %suspend [ i8 0, label %third
                                  i8 1, label %cleanup ]

third:
  %n3 = call i32 @puts(ptr @step3)
  %s3 = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s3, label %suspend [ i8 0, label %final.resume
                                  i8 1, label %cleanup ]

final.resume:
  br label %cleanup

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  %was = icmp ne ptr %dead, null
  br i1 %was, label %do.free, label %after.free

do.free:
  call void @free(ptr %dead)
  br label %after.free

after.free:
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

define i32 @main() {
  %hdl = call ptr @worker()
  call void @llvm.coro.resume(ptr %hdl)
  call void @llvm.coro.resume(ptr %hdl)
  call void @llvm.coro.destroy(ptr %hdl)
  ret i32 0
}

@step1 = private constant [7 x i8] c"step 1\00"
@step2 = private constant [7 x i8] c"step 2\00"
@step3 = private constant [7 x i8] c"step 3\00"

declare i32 @puts(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
