; A freeze of poison has one arbitrary value, which each user of the freeze observes. A phi of constants therefore does not
; choose the successor of a branch on a freeze of an operation that may be poison because of a flag, unless the branch
; does not use a freeze.
; RUN: pycoro opt %s -check-lowering -passes='coro-early,coro-split' -S 2>&1 | FileCheck %s
; RUN: pycoro opt %s -passes='coro-early,coro-split,verify' -disable-output

; CHECK-NOT: the lowering is not checked

; CHECK-LABEL: define internal fastcc void @exact.destroy(
; CHECK: switch i8 %frozen

; CHECK-LABEL: define internal fastcc void @nuw.destroy(
; CHECK: switch i8 %frozen

; CHECK-LABEL: define internal fastcc void @nsw.destroy(
; CHECK: switch i8 %frozen

; CHECK-LABEL: define internal fastcc void @nsw_shift.destroy(
; CHECK: switch i8 %frozen

; CHECK-LABEL: define internal fastcc void @truncated.destroy(
; CHECK: switch i8 %frozen

; CHECK-LABEL: define internal fastcc void @nneg.destroy(
; CHECK: switch i8 %frozen

; CHECK-LABEL: define internal fastcc void @disjoint.destroy(
; CHECK: switch i8 %frozen

; CHECK-LABEL: define internal fastcc void @samesign.destroy(
; CHECK: br i1 %frozen

; CHECK-LABEL: define internal fastcc void @nnan.destroy(
; CHECK: br i1 %frozen

; CHECK-LABEL: define internal fastcc void @ranged.destroy(
; CHECK: switch i8 %frozen

; CHECK-LABEL: define internal fastcc void @undefined.destroy(
; CHECK: switch i8 %frozen

; CHECK-LABEL: define internal fastcc void @without_flags.destroy(
; CHECK-NOT: switch i8
; CHECK: call void @leave(i32 1)

; CHECK-LABEL: define internal fastcc void @without_freeze.destroy(
; CHECK-NOT: switch i8
; CHECK: call void @leave(i32 1)

declare ptr @malloc(i64)
declare void @free(ptr)
declare void @body(i32)
declare void @leave(i32)
declare void @use.i8(i8)
declare void @use.i1(i1)

define ptr @exact() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %destroyed ]
resumed:
  br label %join
destroyed:
  br label %join
join:
  %p = phi i8 [ 8, %resumed ], [ 3, %destroyed ]
  %x = lshr exact i8 %p, 1
  %frozen = freeze i8 %x
  call void @use.i8(i8 %frozen)
  switch i8 %frozen, label %left [ i8 4, label %next ]
left:
  call void @leave(i32 1)
  br label %end
next:
  call void @body(i32 1)
  br label %end
end:
  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @nuw() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %destroyed ]
resumed:
  br label %join
destroyed:
  br label %join
join:
  %p = phi i8 [ 8, %resumed ], [ 3, %destroyed ]
  %x = add nuw i8 %p, -8
  %frozen = freeze i8 %x
  call void @use.i8(i8 %frozen)
  switch i8 %frozen, label %left [ i8 4, label %next ]
left:
  call void @leave(i32 1)
  br label %end
next:
  call void @body(i32 1)
  br label %end
end:
  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @nsw() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %destroyed ]
resumed:
  br label %join
destroyed:
  br label %join
join:
  %p = phi i8 [ 8, %resumed ], [ 3, %destroyed ]
  %x = sub nsw i8 %p, -128
  %frozen = freeze i8 %x
  call void @use.i8(i8 %frozen)
  switch i8 %frozen, label %left [ i8 4, label %next ]
left:
  call void @leave(i32 1)
  br label %end
next:
  call void @body(i32 1)
  br label %end
end:
  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @nsw_shift() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %destroyed ]
resumed:
  br label %join
destroyed:
  br label %join
join:
  %p = phi i8 [ 8, %resumed ], [ 3, %destroyed ]
  %x = shl nsw i8 %p, 6
  %frozen = freeze i8 %x
  call void @use.i8(i8 %frozen)
  switch i8 %frozen, label %left [ i8 4, label %next ]
left:
  call void @leave(i32 1)
  br label %end
next:
  call void @body(i32 1)
  br label %end
end:
  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @truncated() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %destroyed ]
resumed:
  br label %join
destroyed:
  br label %join
join:
  %p = phi i8 [ 8, %resumed ], [ 3, %destroyed ]
  %y = zext i8 %p to i16
  %z = mul i16 %y, 200
  %x = trunc nuw i16 %z to i8
  %frozen = freeze i8 %x
  call void @use.i8(i8 %frozen)
  switch i8 %frozen, label %left [ i8 4, label %next ]
left:
  call void @leave(i32 1)
  br label %end
next:
  call void @body(i32 1)
  br label %end
end:
  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @nneg() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %destroyed ]
resumed:
  br label %join
destroyed:
  br label %join
join:
  %p = phi i8 [ 8, %resumed ], [ 3, %destroyed ]
  %y = sub i8 %p, 100
  %z = zext nneg i8 %y to i16
  %x = trunc i16 %z to i8
  %frozen = freeze i8 %x
  call void @use.i8(i8 %frozen)
  switch i8 %frozen, label %left [ i8 4, label %next ]
left:
  call void @leave(i32 1)
  br label %end
next:
  call void @body(i32 1)
  br label %end
end:
  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @disjoint() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %destroyed ]
resumed:
  br label %join
destroyed:
  br label %join
join:
  %p = phi i8 [ 8, %resumed ], [ 3, %destroyed ]
  %x = or disjoint i8 %p, 1
  %frozen = freeze i8 %x
  call void @use.i8(i8 %frozen)
  switch i8 %frozen, label %left [ i8 4, label %next ]
left:
  call void @leave(i32 1)
  br label %end
next:
  call void @body(i32 1)
  br label %end
end:
  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @samesign() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %destroyed ]
resumed:
  br label %join
destroyed:
  br label %join
join:
  %p = phi i8 [ 8, %resumed ], [ 3, %destroyed ]
  %y = sub i8 %p, 5
  %x = icmp samesign ult i8 %y, 2
  %frozen = freeze i1 %x
  call void @use.i1(i1 %frozen)
  br i1 %frozen, label %left, label %next
left:
  call void @leave(i32 1)
  br label %end
next:
  call void @body(i32 1)
  br label %end
end:
  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @nnan() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %destroyed ]
resumed:
  br label %join
destroyed:
  br label %join
join:
  %p = phi i8 [ 8, %resumed ], [ 3, %destroyed ]
  %y = uitofp i8 %p to float
  %z = fmul ninf float %y, 0x47EFFFFFE0000000
  %x = fcmp ogt float %z, 2.0
  %frozen = freeze i1 %x
  call void @use.i1(i1 %frozen)
  br i1 %frozen, label %left, label %next
left:
  call void @leave(i32 1)
  br label %end
next:
  call void @body(i32 1)
  br label %end
end:
  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @ranged() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %destroyed ]
resumed:
  br label %join
destroyed:
  br label %join
join:
  %p = phi i8 [ 8, %resumed ], [ 3, %destroyed ]
  %x = call range(i8 3, 8) i8 @llvm.umin.i8(i8 %p, i8 1)
  %frozen = freeze i8 %x
  call void @use.i8(i8 %frozen)
  switch i8 %frozen, label %left [ i8 4, label %next ]
left:
  call void @leave(i32 1)
  br label %end
next:
  call void @body(i32 1)
  br label %end
end:
  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @undefined() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %destroyed ]
resumed:
  br label %join
destroyed:
  br label %join
join:
  %p = phi i8 [ 8, %resumed ], [ 3, %destroyed ]
  %y = insertelement <2 x i8> zeroinitializer, i8 %p, i32 0
  %z = or <2 x i8> %y, <i8 undef, i8 1>
  %x = extractelement <2 x i8> %z, i32 0
  %frozen = freeze i8 %x
  call void @use.i8(i8 %frozen)
  switch i8 %frozen, label %left [ i8 4, label %next ]
left:
  call void @leave(i32 1)
  br label %end
next:
  call void @body(i32 1)
  br label %end
end:
  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @without_flags() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %destroyed ]
resumed:
  br label %join
destroyed:
  br label %join
join:
  %p = phi i8 [ 8, %resumed ], [ 3, %destroyed ]
  %x = lshr i8 %p, 1
  %frozen = freeze i8 %x
  call void @use.i8(i8 %frozen)
  switch i8 %frozen, label %left [ i8 4, label %next ]
left:
  call void @leave(i32 1)
  br label %end
next:
  call void @body(i32 1)
  br label %end
end:
  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @without_freeze() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %destroyed ]
resumed:
  br label %join
destroyed:
  br label %join
join:
  %p = phi i8 [ 8, %resumed ], [ 3, %destroyed ]
  %x = lshr exact i8 %p, 1
  call void @use.i8(i8 %x)
  switch i8 %x, label %left [ i8 4, label %next ]
left:
  call void @leave(i32 1)
  br label %end
next:
  call void @body(i32 1)
  br label %end
end:
  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}
