; An address that is computed before llvm.coro.begin through integers, llvm.ptrmask or llvm.launder.invariant.group is
; computed again from the frame's after it, as one that is computed by getelementptr.
; RUN: split-file %s %t
; RUN: pycoro opt %t/runs.ll -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' -o %t.bc
; RUN: lli-22 %t.bc | FileCheck %s
; RUN: pycoro opt %t/runs.ll -passes='default<O2>' -o %t.o2.bc
; RUN: lli-22 %t.o2.bc | FileCheck %s
; RUN: not pycoro opt %t/unknown.ll -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
; UNSUPPORTED: reference

; CHECK: 1 11 20
; CHECK-NEXT: 0 10 21
; CHECK-NEXT: 1 11 20
; CHECK-NEXT: 0 10 21
; CHECK-NEXT: 1 11 20
; CHECK-NEXT: 0 10 21

; UNKNOWN: @f, %join: %n = phi i64 [ %left, %entry ], [ %right, %other ]

;--- runs.ll
@format = private constant [10 x i8] c"%d %d %d\0A\00"

define ptr @integers(i1 %b) presplitcoroutine {
entry:
  %x = alloca i32, align 16
  %y = alloca i32, align 16
  store i32 10, ptr %x
  store i32 20, ptr %y
  %i = ptrtoint ptr %x to i64
  %j = ptrtoint ptr %y to i64
  %above = add i64 %i, 4
  %chosen = select i1 %b, i64 %above, i64 %j
  %offset = select i1 %b, i64 4, i64 0
  %n = sub i64 %chosen, %offset
  %p = inttoptr i64 %n to ptr
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %cleanup ]
resumed:
  %old = load i32, ptr %p
  %new = add i32 %old, 1
  store i32 %new, ptr %p
  %number = zext i1 %b to i32
  %vx = load i32, ptr %x
  %vy = load i32, ptr %y
  call i32 (ptr, ...) @printf(ptr @format, i32 %number, i32 %vx, i32 %vy)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define ptr @masked(i1 %b) presplitcoroutine {
entry:
  %x = alloca i32, align 16
  %y = alloca i32, align 16
  store i32 10, ptr %x
  store i32 20, ptr %y
  %q = select i1 %b, ptr %x, ptr %y
  %inside = getelementptr i8, ptr %q, i64 3
  %p = call ptr @llvm.ptrmask.p0.i64(ptr %inside, i64 -16)
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %cleanup ]
resumed:
  %old = load i32, ptr %p
  %new = add i32 %old, 1
  store i32 %new, ptr %p
  %number = zext i1 %b to i32
  %vx = load i32, ptr %x
  %vy = load i32, ptr %y
  call i32 (ptr, ...) @printf(ptr @format, i32 %number, i32 %vx, i32 %vy)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define ptr @laundered(i1 %b) presplitcoroutine {
entry:
  %x = alloca i32, align 16
  %y = alloca i32, align 16
  store i32 10, ptr %x
  store i32 20, ptr %y
  %q = select i1 %b, ptr %x, ptr %y
  %p = call ptr @llvm.launder.invariant.group.p0(ptr %q)
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %cleanup ]
resumed:
  %old = load i32, ptr %p
  %new = add i32 %old, 1
  store i32 %new, ptr %p
  %number = zext i1 %b to i32
  %vx = load i32, ptr %x
  %vy = load i32, ptr %y
  call i32 (ptr, ...) @printf(ptr @format, i32 %number, i32 %vx, i32 %vy)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

; Overwrites the stack of the ramp.
define void @spoil() noinline {
  %room = alloca [1000 x i8]
  call void @llvm.memset.p0.i64(ptr %room, i8 77, i64 1000, i1 true)
  ret void
}

define i32 @main() {
  %h0 = call ptr @integers(i1 true)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h0)
  %h1 = call ptr @integers(i1 false)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h1)
  %h2 = call ptr @masked(i1 true)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h2)
  %h3 = call ptr @masked(i1 false)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h3)
  %h4 = call ptr @laundered(i1 true)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h4)
  %h5 = call ptr @laundered(i1 false)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h5)
  ret i32 0
}

declare i32 @printf(ptr, ...)
declare ptr @malloc(i64)
declare void @free(ptr)

;--- unknown.ll
define ptr @f(i1 %b, ptr %mem) presplitcoroutine {
entry:
  %x = alloca i32
  %y = alloca i32
  store i32 10, ptr %x
  store i32 20, ptr %y
  %i = ptrtoint ptr %x to i64
  %left = xor i64 %i, -1
  br i1 %b, label %join, label %other
other:
  %j = ptrtoint ptr %y to i64
  %right = xor i64 %j, -1
  br label %join
join:
  %n = phi i64 [ %left, %entry ], [ %right, %other ]
  %m = xor i64 %n, -1
  %p = inttoptr i64 %m to ptr
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %out ]
resumed:
  %old = load i32, ptr %p
  call void @use(i32 %old)
  %vx = load i32, ptr %x
  call void @use(i32 %vx)
  %vy = load i32, ptr %y
  call void @use(i32 %vy)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
declare void @use(i32)
