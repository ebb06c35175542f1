; After coro.begin the promise is accessed through the handle; before it, and where coro.begin may not have run, through
; the alloca. Its lifetime markers are removed. A second run changes nothing.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-early %s -o %t.once && FileCheck %s < %t.once
; RUN: pycoro opt -S -passes=coro-early,coro-early %s -o %t.twice
; RUN: cmp %t.once %t.twice

; CHECK-LABEL: define ptr @f(ptr %p, i1 %early)
; CHECK: %promise = alloca i32, align 8
; CHECK-NOT: llvm.lifetime
; CHECK: store i32 1, ptr %promise
; CHECK: %id = call token @llvm.coro.id(i32 8, ptr %promise, ptr @f, ptr null)
; CHECK: %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem) #[[#SINGLE:]]
; CHECK-NEXT: %promise.addr = call ptr @llvm.coro.promise(ptr %hdl, i32 8, i1 false) #[[#SINGLE]]
; CHECK-NEXT: store i32 2, ptr %promise.addr
; CHECK-NEXT: call i8 @llvm.coro.suspend(token none, i1 true) #[[#SINGLE]]
; CHECK: left:
; CHECK-NEXT: %which = phi ptr [ %promise, %entry ], [ %promise.addr, %begin ]
; CHECK-NEXT: store i32 3, ptr %which
; CHECK-NEXT: store i32 4, ptr %promise
; CHECK: call void @llvm.coro.end(ptr null, i1 false, token none) #[[#SINGLE]]
; CHECK: attributes #[[#SINGLE]] = { noduplicate }
define ptr @f(ptr noalias %p, i1 %early) presplitcoroutine {
entry:
  %promise = alloca i32, align 8
  call void @llvm.lifetime.start.p0(ptr %promise)
  store i32 1, ptr %promise
  br i1 %early, label %left, label %begin
begin:
  %id = call token @llvm.coro.id(i32 8, ptr %promise, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  store i32 2, ptr %promise
  %s = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s, label %left [i8 0, label %dead
                             i8 1, label %destroy]
dead:
  unreachable
destroy:
  %free = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %free)
  br label %end
left:
  %which = phi ptr [ %promise, %entry ], [ %promise, %begin ]
  store i32 3, ptr %which
  store i32 4, ptr %promise
  call void @llvm.lifetime.end.p0(ptr %promise)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr null
}

declare ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
