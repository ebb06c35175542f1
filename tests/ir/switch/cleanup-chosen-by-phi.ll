; Clang merges the paths of a coroutine into shared cleanups, and a phi of constants selects the successor of each. A clone
; takes only the edges that the constants on its own paths select. The checker proves that.
; RUN: pycoro opt %s -check-lowering -passes='coro-early,cgscc(coro-split)' -S 2>&1 | FileCheck %s
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),verify' -disable-output

; CHECK-NOT: the lowering is not checked

; The inner cleanup passes its choice to the outer one, through a block that only adds a path.
; CHECK-LABEL: define ptr @nested(
; CHECK: call void @body(i32 0)
; CHECK-NOT: call void @body(
; CHECK-LABEL: define internal fastcc void @nested.resume(
; CHECK-NOT: switch i32
; CHECK: call void @body(i32 1)
; CHECK: call void @leave(i32 1)
; CHECK: call void @leave(i32 2)
; CHECK: call void @body(i32 2)
; CHECK-LABEL: define internal fastcc void @nested.destroy(
; CHECK-NOT: call void @body(
; CHECK-NOT: switch i32
; CHECK: call void @leave(i32 1)
; CHECK: call void @leave(i32 2)
; CHECK-LABEL: define internal fastcc void @nested.cleanup(
; CHECK-NOT: call void @body(

; The choice was made before the suspend, so the resume function may take both edges.
; CHECK-LABEL: define internal fastcc void @chosen_before.resume(
; CHECK: switch i32
; CHECK-DAG: call void @body(i32 3)
; CHECK-DAG: call void @leave(i32 3)
; CHECK-LABEL: define internal fastcc void @chosen_before.destroy(

; Another iteration of a loop passes another constant.
; CHECK-LABEL: define internal fastcc void @loop.resume(
; CHECK: switch i32
; CHECK-DAG: call void @body(i32 4)
; CHECK-DAG: call void @leave(i32 4)

; A phi that merges two constants passes neither, and only the phi that is passed counts.
; CHECK-LABEL: define internal fastcc void @merged.resume(
; CHECK: switch i32 %passed
; CHECK-DAG: call void @body(i32 5)
; CHECK-DAG: call void @leave(i32 5)
; CHECK-LABEL: define internal fastcc void @merged.destroy(
; CHECK: switch i32 %passed
; CHECK-DAG: call void @body(i32 5)
; CHECK-DAG: call void @leave(i32 5)

declare ptr @malloc(i64)
declare void @free(ptr)
declare void @body(i32)
declare void @leave(i32)
declare i1 @more()

define ptr @nested() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @body(i32 0)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %destroyed ]
resumed:
  call void @body(i32 1)
  br label %inner
destroyed:
  br label %inner
inner:
  %inner.choice = phi i32 [ 0, %resumed ], [ 2, %destroyed ]
  call void @leave(i32 1)
  switch i32 %inner.choice, label %passed [ i32 0, label %done ]
done:
  br label %passed
passed:
  %passed.choice = phi i32 [ %inner.choice, %inner ], [ 0, %done ]
  br label %outer
outer:
  %outer.choice = phi i32 [ %passed.choice, %passed ]
  call void @leave(i32 2)
  switch i32 %outer.choice, label %end [ i32 0, label %next ]
next:
  call void @body(i32 2)
  br label %end
end:
  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @chosen_before(i1 %c) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br i1 %c, label %yes, label %no
yes:
  br label %chosen
no:
  br label %chosen
chosen:
  %choice = phi i32 [ 0, %yes ], [ 2, %no ]
  switch i32 %choice, label %suspends [ i32 2, label %suspends ]
suspends:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %destroyed ]
resumed:
  br label %inner
destroyed:
  br label %inner
inner:
  %inner.choice = phi i32 [ %choice, %resumed ], [ 2, %destroyed ]
  switch i32 %inner.choice, label %left [ i32 0, label %next ]
left:
  call void @leave(i32 3)
  br label %end
next:
  call void @body(i32 3)
  br label %end
end:
  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @loop() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %head
                             i8 1, label %end ]
head:
  %choice = phi i32 [ 0, %entry ], [ 2, %again ]
  call void @leave(i32 3)
  switch i32 %choice, label %left [ i32 0, label %again ]
again:
  call void @body(i32 4)
  br label %head
left:
  call void @leave(i32 4)
  br label %end
end:
  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @merged() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %destroyed ]
resumed:
  %more = call i1 @more()
  br i1 %more, label %yes, label %merge
yes:
  br label %merge
merge:
  %merged = phi i32 [ 2, %resumed ], [ 0, %yes ]
  br label %pass
destroyed:
  br label %both
both:
  %choice = phi i32 [ 2, %destroyed ]
  %other = phi i32 [ 0, %destroyed ]
  switch i32 %choice, label %pass [ i32 7, label %end ]
pass:
  %passed = phi i32 [ %merged, %merge ], [ %other, %both ]
  switch i32 %passed, label %left [ i32 0, label %next ]
left:
  call void @leave(i32 5)
  br label %end
next:
  call void @body(i32 5)
  br label %end
end:
  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}
