; An address that is chosen before llvm.coro.begin, between variables that move to the frame and others, is computed again
; out of their places in the frame: what it was before is an address on the ramp's stack. A phi's choice is remembered as a
; number.
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s
; RUN: pycoro opt %s -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' -o %t.bc
; RUN: lli-22 %t.bc | FileCheck %s --check-prefix=PRINTS
; RUN: pycoro opt %s -passes='default<O1>' -o %t.o1.bc
; RUN: lli-22 %t.o1.bc | FileCheck %s --check-prefix=PRINTS
; RUN: pycoro opt %s -passes='default<O2>' -o %t.o2.bc
; RUN: lli-22 %t.o2.bc | FileCheck %s --check-prefix=PRINTS
; UNSUPPORTED: reference

; CHECK-LABEL: define ptr @phi(
; CHECK: %p.origin = phi i32 [ 1, %left ], [ 2, %right ]
; CHECK: %p = phi ptr [ %x{{.*}}, %left ], [ %second, %right ]

; PRINTS: select 1 11 20
; PRINTS-NEXT: select 0 10 21
; PRINTS-NEXT: nothing 1 11 11
; PRINTS-NEXT: nothing 0 10 0
; PRINTS-NEXT: passed 1 11 30
; PRINTS-NEXT: passed 0 10 31
; PRINTS-NEXT: phi 1 11 20 21
; PRINTS-NEXT: phi 0 10 20 22
; PRINTS-NEXT: other 1 11 40
; PRINTS-NEXT: other 0 10 41
; PRINTS-NEXT: loop 0 2 1 1 1
; PRINTS-NEXT: loop 2 1 1 2 1
; PRINTS-NEXT: number 1 11 20
; PRINTS-NEXT: number 0 10 21
; PRINTS-NEXT: mixed 1 11 20
; PRINTS-NEXT: mixed 0 10 21
; PRINTS-NEXT: frozen 1 11 20
; PRINTS-NEXT: frozen 0 10 21
; PRINTS-NEXT: struct 1 11 20
; PRINTS-NEXT: struct 0 10 21

@three = private constant [13 x i8] c"%s %d %d %d\0A\00"
@four = private constant [16 x i8] c"%s %d %d %d %d\0A\00"
@five = private constant [19 x i8] c"%s %d %d %d %d %d\0A\00"
@n.select = private constant [7 x i8] c"select\00"
@n.nothing = private constant [8 x i8] c"nothing\00"
@n.passed = private constant [7 x i8] c"passed\00"
@n.phi = private constant [4 x i8] c"phi\00"
@n.other = private constant [6 x i8] c"other\00"
@n.loop = private constant [5 x i8] c"loop\00"
@n.number = private constant [7 x i8] c"number\00"
@n.mixed = private constant [6 x i8] c"mixed\00"
@n.frozen = private constant [7 x i8] c"frozen\00"
@n.struct = private constant [7 x i8] c"struct\00"
@global = global i32 0

define ptr @select(i1 %b) presplitcoroutine {
entry:
  %x = alloca i32
  %y = alloca i32
  store i32 10, ptr %x
  store i32 20, ptr %y
  %p = select i1 %b, ptr %x, ptr %y
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
  call i32 (ptr, ...) @printf(ptr @three, ptr @n.select, i32 %number, i32 %vx, i32 %vy)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define ptr @nothing(i1 %b) presplitcoroutine {
entry:
  %x = alloca i32
  store i32 10, ptr %x
  %p = select i1 %b, ptr %x, ptr null
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %cleanup ]
resumed:
  %null = icmp eq ptr %p, null
  br i1 %null, label %none, label %some
some:
  %old = load i32, ptr %p
  %new = add i32 %old, 1
  store i32 %new, ptr %p
  br label %none
none:
  %found = phi i32 [ 0, %resumed ], [ %new, %some ]
  %number = zext i1 %b to i32
  %vx = load i32, ptr %x
  call i32 (ptr, ...) @printf(ptr @three, ptr @n.nothing, i32 %number, i32 %vx, i32 %found)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define ptr @passed(ptr byval(i32) %y, i1 %b) presplitcoroutine {
entry:
  %x = alloca i32
  store i32 10, ptr %x
  %p = select i1 %b, ptr %x, ptr %y
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
  call i32 (ptr, ...) @printf(ptr @three, ptr @n.passed, i32 %number, i32 %vx, i32 %vy)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define ptr @phi(i1 %b, i64 %i) presplitcoroutine {
entry:
  %x = alloca i32
  %y = alloca [2 x i32]
  store i32 10, ptr %x
  store i32 20, ptr %y
  %end = getelementptr i32, ptr %y, i64 1
  store i32 21, ptr %end
  br i1 %b, label %left, label %right
left:
  br label %join
right:
  %second = getelementptr i32, ptr %y, i64 %i
  br label %join
join:
  %p = phi ptr [ %x, %left ], [ %second, %right ]
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
  %ve = load i32, ptr %end
  call i32 (ptr, ...) @printf(ptr @four, ptr @n.phi, i32 %number, i32 %vx, i32 %vy, i32 %ve)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define ptr @other(i1 %b) presplitcoroutine {
entry:
  %x = alloca i32
  store i32 10, ptr %x
  store i32 40, ptr @global
  br i1 %b, label %left, label %join
left:
  br label %join
join:
  %p = phi ptr [ %x, %left ], [ @global, %entry ]
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
  %vy = load i32, ptr @global
  call i32 (ptr, ...) @printf(ptr @three, ptr @n.other, i32 %number, i32 %vx, i32 %vy)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

; The phi of a loop: an address that goes on from the last one, or from the start of the other variable.
define ptr @loop(i32 %n) presplitcoroutine {
entry:
  %x = alloca [2 x i32]
  %y = alloca [2 x i32]
  store i64 4294967297, ptr %x
  store i64 4294967297, ptr %y
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %back ]
  %p = phi ptr [ %x, %entry ], [ %next, %back ]
  %over = icmp eq i32 %i, %n
  br i1 %over, label %start, label %back
back:
  %i.next = add i32 %i, 1
  %even = icmp eq i32 %i, 1
  %on = getelementptr i32, ptr %p, i64 1
  %next = select i1 %even, ptr %y, ptr %on
  br label %head
start:
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
  %x1 = getelementptr i32, ptr %x, i64 1
  %y1 = getelementptr i32, ptr %y, i64 1
  %v0 = load i32, ptr %x
  %v1 = load i32, ptr %x1
  %v2 = load i32, ptr %y
  %v3 = load i32, ptr %y1
  call i32 (ptr, ...) @printf(ptr @five, ptr @n.loop, i32 %n, i32 %v0, i32 %v1, i32 %v2, i32 %v3)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define ptr @number(i1 %b) presplitcoroutine {
entry:
  %x = alloca i32
  %y = alloca i32
  store i32 10, ptr %x
  store i32 20, ptr %y
  %nx = ptrtoint ptr %x to i64
  %ny = ptrtoint ptr %y to i64
  br i1 %b, label %left, label %join
left:
  br label %join
join:
  %chosen = phi i64 [ %nx, %left ], [ %ny, %entry ]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %cleanup ]
resumed:
  %p = inttoptr i64 %chosen to ptr
  %old = load i32, ptr %p
  %new = add i32 %old, 1
  store i32 %new, ptr %p
  %number = zext i1 %b to i32
  %vx = load i32, ptr %x
  %vy = load i32, ptr %y
  call i32 (ptr, ...) @printf(ptr @three, ptr @n.number, i32 %number, i32 %vx, i32 %vy)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

; Addresses that are computed out of a chosen one.
define ptr @mixed(i1 %b) presplitcoroutine {
entry:
  %x = alloca i32
  %y = alloca i32
  store i32 10, ptr %x
  store i32 20, ptr %y
  br i1 %b, label %left, label %join
left:
  br label %join
join:
  %chosen = phi ptr [ %x, %left ], [ %y, %entry ]
  %behind = getelementptr i32, ptr %chosen, i64 3
  %before = getelementptr i32, ptr %behind, i64 -3
  %p = select i1 %b, ptr %before, ptr %chosen
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
  call i32 (ptr, ...) @printf(ptr @three, ptr @n.mixed, i32 %number, i32 %vx, i32 %vy)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define ptr @frozen(i1 %b) presplitcoroutine {
entry:
  %x = alloca i32
  %y = alloca i32
  store i32 10, ptr %x
  store i32 20, ptr %y
  %chosen = select i1 %b, ptr %x, ptr %y
  %p = freeze ptr %chosen
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
  call i32 (ptr, ...) @printf(ptr @three, ptr @n.frozen, i32 %number, i32 %vx, i32 %vy)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define ptr @struct(i1 %b) presplitcoroutine {
entry:
  %x = alloca i32
  %y = alloca i32
  store i32 10, ptr %x
  store i32 20, ptr %y
  %chosen = select i1 %b, ptr %x, ptr %y
  %pair = insertvalue { i32, ptr } { i32 7, ptr null }, ptr %chosen, 1
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %resumed
                             i8 1, label %cleanup ]
resumed:
  %p = extractvalue { i32, ptr } %pair, 1
  %old = load i32, ptr %p
  %new = add i32 %old, 1
  store i32 %new, ptr %p
  %number = zext i1 %b to i32
  %vx = load i32, ptr %x
  %vy = load i32, ptr %y
  call i32 (ptr, ...) @printf(ptr @three, ptr @n.struct, i32 %number, i32 %vx, i32 %vy)
  br label %cleanup
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %freed)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}

define i32 @main() {
  %thirty = alloca i32
  %h0 = call ptr @select(i1 true)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h0)
  %h1 = call ptr @select(i1 false)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h1)
  %h2 = call ptr @nothing(i1 true)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h2)
  %h3 = call ptr @nothing(i1 false)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h3)
  store i32 30, ptr %thirty
  %h4 = call ptr @passed(ptr byval(i32) %thirty, i1 true)
  store i32 99, ptr %thirty
  call void @spoil()
  call void @llvm.coro.resume(ptr %h4)
  store i32 30, ptr %thirty
  %h5 = call ptr @passed(ptr byval(i32) %thirty, i1 false)
  store i32 99, ptr %thirty
  call void @spoil()
  call void @llvm.coro.resume(ptr %h5)
  %h6 = call ptr @phi(i1 true, i64 1)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h6)
  %h7 = call ptr @phi(i1 false, i64 1)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h7)
  %h8 = call ptr @other(i1 true)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h8)
  %h9 = call ptr @other(i1 false)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h9)
  %h10 = call ptr @loop(i32 0)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h10)
  %h11 = call ptr @loop(i32 2)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h11)
  %h12 = call ptr @number(i1 true)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h12)
  %h13 = call ptr @number(i1 false)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h13)
  %h14 = call ptr @mixed(i1 true)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h14)
  %h15 = call ptr @mixed(i1 false)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h15)
  %h16 = call ptr @frozen(i1 true)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h16)
  %h17 = call ptr @frozen(i1 false)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h17)
  %h18 = call ptr @struct(i1 true)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h18)
  %h19 = call ptr @struct(i1 false)
  call void @spoil()
  call void @llvm.coro.resume(ptr %h19)
  ret i32 0
}

; What a ramp had on the stack is overwritten.
define void @spoil() noinline {
  %room = alloca [4096 x i8]
  call void @llvm.memset.p0.i64(ptr %room, i8 90, i64 4096, i1 true)
  ret void
}

declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
