; Save apart from suspend: an operation that is given the handle may resume the coroutine before it returns, so the
; coroutine has to be ready before the call. cond() chooses 1 0 1 1; each operation completes later, or at once.
; The document's suspends return i1 here and end in a fall-through; today they return i8.

define ptr @g() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call noalias ptr @llvm.coro.begin(token %id, ptr %mem)
  br label %loop

loop:
  %which = call i1 @cond()
  br i1 %which, label %if.true, label %if.false

if.true:
  %save1 = call token @llvm.coro.save(ptr %hdl)
  call void @async_op1(ptr %hdl)
  %s1 = call i8 @llvm.coro.suspend(token %save1, i1 false)
  switch i8 %s1, label %suspend [ i8 0, label %resume1
                                  i8 1, label %cleanup ]

resume1:
  call void @do_one()
  br label %loop

if.false:
  %save2 = call token @llvm.coro.save(ptr %hdl)
  call void @async_op2(ptr %hdl)
  %s2 = call i8 @llvm.coro.suspend(token %save2, i1 false)
  switch i8 %s2, label %suspend [ i8 0, label %resume2
                                  i8 1, label %cleanup ]

resume2:
  call void @do_two()
  br label %loop

cleanup:
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %dead)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define void @resume(ptr %hdl) {
  call void @llvm.coro.resume(ptr %hdl)
  ret void
}

define i32 @main() {
  %hdl = call ptr @g()
  call void @complete()
  call void @complete()
  call void @complete()
  call void @llvm.coro.destroy(ptr %hdl)
  ret i32 0
}

declare i1 @cond()
declare void @async_op1(ptr)
declare void @async_op2(ptr)
declare void @do_one()
declare void @do_two()
declare void @complete()
declare ptr @malloc(i64)
declare void @free(ptr)
