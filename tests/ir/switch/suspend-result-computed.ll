; What a suspend gives may be cast and computed with before it is branched on: MLIR extends it to i32, an optimizer makes
; an and, a comparison or a select of it. Each of these chains is folded, so that no clone takes the edge of another
; result: there is no phi, no computation is left, and each program prints the same as without folding.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; RUN: pycoro explain %s | FileCheck %s --check-prefix=EXPLAIN
; RUN: pycoro lint %s --notes --select suspend-result

; CHECK-NOT: {{= (phi|switch|sext|zext|trunc|bitcast|freeze|and|or|xor|add|sub|mul|shl|lshr|ashr|urem|udiv|sdiv|srem) }}
; CHECK-NOT: call {{.*}}@llvm.{{s|u}}
; EXPLAIN-NOT: not known
; EXPLAIN-NOT: never

; OUT: sext 0
; OUT-NEXT: sext 1
; OUT-NEXT: sext 1
; OUT: sext_wide 0
; OUT-NEXT: sext_wide 1
; OUT-NEXT: sext_wide 1
; OUT: zext 0
; OUT-NEXT: zext 1
; OUT-NEXT: zext 1
; OUT: zext_nneg 0
; OUT-NEXT: zext_nneg 1
; OUT-NEXT: zext_nneg 1
; OUT: trunc 0
; OUT-NEXT: trunc 1
; OUT-NEXT: trunc 1
; OUT: bitcast 0
; OUT-NEXT: bitcast 1
; OUT-NEXT: bitcast 1
; OUT: freeze 0
; OUT-NEXT: freeze 1
; OUT-NEXT: freeze 1
; OUT: and 0
; OUT-NEXT: and 1
; OUT-NEXT: and 1
; OUT: xor 0
; OUT-NEXT: xor 1
; OUT-NEXT: xor 1
; OUT: add 0
; OUT-NEXT: add 1
; OUT-NEXT: add 1
; OUT: add_wraps 0
; OUT-NEXT: add_wraps 1
; OUT-NEXT: add_wraps 1
; OUT: or_sub_mul 0
; OUT-NEXT: or_sub_mul 1
; OUT-NEXT: or_sub_mul 1
; OUT: shifts 0
; OUT-NEXT: shifts 1
; OUT-NEXT: shifts 1
; OUT: divided 0
; OUT-NEXT: divided 1
; OUT-NEXT: divided 1
; OUT: compared_twice 0
; OUT-NEXT: compared_twice 1
; OUT-NEXT: compared_twice 1
; OUT: select 0
; OUT-NEXT: select 1
; OUT-NEXT: select 1
; OUT: minimum 0
; OUT-NEXT: minimum 1
; OUT-NEXT: minimum 1
; OUT: expected 0
; OUT-NEXT: expected 1
; OUT-NEXT: expected 1
; OUT: maximum 0
; OUT-NEXT: maximum 1
; OUT-NEXT: maximum 1
; OUT: ordered 0
; OUT-NEXT: ordered 1
; OUT-NEXT: ordered 1
; OUT: ordered_unsigned 0
; OUT-NEXT: ordered_unsigned 1
; OUT-NEXT: ordered_unsigned 1

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@format = private constant [7 x i8] c"%s %d\0A\00"
@n.sext = private constant [5 x i8] c"sext\00"
@n.sext_wide = private constant [10 x i8] c"sext_wide\00"
@n.zext = private constant [5 x i8] c"zext\00"
@n.zext_nneg = private constant [10 x i8] c"zext_nneg\00"
@n.trunc = private constant [6 x i8] c"trunc\00"
@n.bitcast = private constant [8 x i8] c"bitcast\00"
@n.freeze = private constant [7 x i8] c"freeze\00"
@n.and = private constant [4 x i8] c"and\00"
@n.xor = private constant [4 x i8] c"xor\00"
@n.add = private constant [4 x i8] c"add\00"
@n.add_wraps = private constant [10 x i8] c"add_wraps\00"
@n.or_sub_mul = private constant [11 x i8] c"or_sub_mul\00"
@n.shifts = private constant [7 x i8] c"shifts\00"
@n.divided = private constant [8 x i8] c"divided\00"
@n.compared_twice = private constant [15 x i8] c"compared_twice\00"
@n.select = private constant [7 x i8] c"select\00"
@n.minimum = private constant [8 x i8] c"minimum\00"
@n.expected = private constant [9 x i8] c"expected\00"
@n.maximum = private constant [8 x i8] c"maximum\00"
@n.ordered = private constant [8 x i8] c"ordered\00"
@n.ordered_unsigned = private constant [17 x i8] c"ordered_unsigned\00"

define ptr @sext() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %w = sext i8 %s to i32
  switch i32 %w, label %suspend [ i32 0, label %resume
    i32 1, label %cleanup ]

resume:
  call void @show(ptr @n.sext, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.sext, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @sext_wide() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %w = sext i8 %s to i128
  switch i128 %w, label %suspend [ i128 0, label %resume
    i128 1, label %cleanup ]

resume:
  call void @show(ptr @n.sext_wide, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.sext_wide, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @zext() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %w = zext i8 %s to i32
  switch i32 %w, label %cleanup [ i32 0, label %resume
    i32 255, label %suspend ]

resume:
  call void @show(ptr @n.zext, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.zext, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @zext_nneg() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %gone = icmp eq i8 %s, -1
  %one = select i1 %gone, i8 7, i8 %s
  %w = zext nneg i8 %one to i64
  switch i64 %w, label %cleanup [ i64 0, label %resume
    i64 7, label %suspend ]

resume:
  call void @show(ptr @n.zext_nneg, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.zext_nneg, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @trunc() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %w = trunc i8 %s to i2
  switch i2 %w, label %suspend [ i2 0, label %resume
    i2 1, label %cleanup ]

resume:
  call void @show(ptr @n.trunc, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.trunc, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @bitcast() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %w = bitcast i8 %s to i8
  switch i8 %w, label %suspend [ i8 0, label %resume
    i8 1, label %cleanup ]

resume:
  call void @show(ptr @n.bitcast, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.bitcast, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @freeze() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %w = freeze i8 %s
  switch i8 %w, label %suspend [ i8 0, label %resume
    i8 1, label %cleanup ]

resume:
  call void @show(ptr @n.freeze, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.freeze, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @and() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %w = and i8 %s, 3
  switch i8 %w, label %never [ i8 0, label %resume
    i8 1, label %cleanup
    i8 3, label %suspend ]

resume:
  call void @show(ptr @n.and, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.and, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

never:
  unreachable
}

define ptr @xor() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %w = xor i8 %s, -1
  switch i8 %w, label %never [ i8 -1, label %resume
    i8 -2, label %cleanup
    i8 0, label %suspend ]

resume:
  call void @show(ptr @n.xor, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.xor, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

never:
  unreachable
}

define ptr @add() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %w = add i8 %s, 1
  switch i8 %w, label %never [ i8 1, label %resume
    i8 2, label %cleanup
    i8 0, label %suspend ]

resume:
  call void @show(ptr @n.add, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.add, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

never:
  unreachable
}

define ptr @add_wraps() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %w = add nuw i8 %s, 1
  %z = zext i8 %w to i32
  switch i32 %z, label %suspend [ i32 1, label %resume
    i32 2, label %cleanup ]

resume:
  call void @show(ptr @n.add_wraps, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.add_wraps, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @or_sub_mul() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %o = or i8 %s, 4
  %m = mul i8 %o, 3
  %w = sub i8 %m, 12
  switch i8 %w, label %suspend [ i8 0, label %resume
    i8 3, label %cleanup ]

resume:
  call void @show(ptr @n.or_sub_mul, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.or_sub_mul, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @shifts() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %u = shl i8 %s, 6
  %l = lshr i8 %u, 6
  %a = ashr i8 %s, 7
  %x = and i8 %l, 3
  %w = xor i8 %x, %a
  switch i8 %w, label %suspend [ i8 0, label %resume
    i8 1, label %cleanup ]

resume:
  call void @show(ptr @n.shifts, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.shifts, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @divided() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %r = urem i8 %s, 100
  %q = udiv i8 %r, 1
  %d = sdiv i8 %q, 1
  %w = srem i8 %d, 60
  switch i8 %w, label %suspend [ i8 0, label %resume
    i8 1, label %cleanup ]

resume:
  call void @show(ptr @n.divided, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.divided, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @compared_twice() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %c = icmp ult i8 %s, 2
  %z = zext i1 %c to i8
  %o = icmp eq i8 %s, 1
  %y = zext i1 %o to i8
  %w = add i8 %z, %y
  switch i8 %w, label %never [ i8 0, label %suspend
    i8 1, label %resume
    i8 2, label %cleanup ]

resume:
  call void @show(ptr @n.compared_twice, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.compared_twice, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

never:
  unreachable
}

define ptr @select() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %c = icmp eq i8 %s, 0
  %w = select i1 %c, i32 10, i32 20
  %d = icmp slt i8 %s, 0
  %v = select i1 %d, i32 30, i32 %w
  switch i32 %v, label %never [ i32 10, label %resume
    i32 20, label %cleanup
    i32 30, label %suspend ]

resume:
  call void @show(ptr @n.select, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.select, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

never:
  unreachable
}

define ptr @minimum() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %w = call i8 @llvm.umin.i8(i8 %s, i8 2)
  switch i8 %w, label %never [ i8 0, label %resume
    i8 1, label %cleanup
    i8 2, label %suspend ]

resume:
  call void @show(ptr @n.minimum, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.minimum, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

never:
  unreachable
}

define ptr @expected() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %w = call i8 @llvm.expect.i8(i8 %s, i8 0)
  switch i8 %w, label %suspend [ i8 0, label %resume
    i8 1, label %cleanup ]

resume:
  call void @show(ptr @n.expected, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.expected, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define ptr @maximum() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %w = call i8 @llvm.smax.i8(i8 %s, i8 0)
  %b = call i8 @llvm.smin.i8(i8 %s, i8 0)
  %v = add i8 %w, %b
  switch i8 %v, label %never [ i8 0, label %resume
    i8 1, label %cleanup
    i8 -1, label %suspend ]

resume:
  call void @show(ptr @n.maximum, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.maximum, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

never:
  unreachable
}

define ptr @ordered() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %w = call i2 @llvm.scmp.i2.i8(i8 %s, i8 0)
  switch i2 %w, label %never [ i2 0, label %resume
    i2 1, label %cleanup
    i2 -1, label %suspend ]

resume:
  call void @show(ptr @n.ordered, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.ordered, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

never:
  unreachable
}

define ptr @ordered_unsigned() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i32 @llvm.coro.size.i32()
  %memory = call ptr @malloc(i32 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  %w = call i32 @llvm.ucmp.i32.i8(i8 %s, i8 1)
  switch i32 %w, label %never [ i32 -1, label %resume
    i32 0, label %cleanup
    i32 1, label %suspend ]

resume:
  call void @show(ptr @n.ordered_unsigned, i32 0)
  br label %cleanup

cleanup:
  call void @show(ptr @n.ordered_unsigned, i32 1)
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame

never:
  unreachable
}

define void @show(ptr %name, i32 %v) {
  %printed = call i32 (ptr, ...) @printf(ptr @format, ptr %name, i32 %v)
  ret void
}

define i32 @main() {
  %sext.a = call ptr @sext()
  call void @llvm.coro.resume(ptr %sext.a)
  %sext.b = call ptr @sext()
  call void @llvm.coro.destroy(ptr %sext.b)
  %sext_wide.a = call ptr @sext_wide()
  call void @llvm.coro.resume(ptr %sext_wide.a)
  %sext_wide.b = call ptr @sext_wide()
  call void @llvm.coro.destroy(ptr %sext_wide.b)
  %zext.a = call ptr @zext()
  call void @llvm.coro.resume(ptr %zext.a)
  %zext.b = call ptr @zext()
  call void @llvm.coro.destroy(ptr %zext.b)
  %zext_nneg.a = call ptr @zext_nneg()
  call void @llvm.coro.resume(ptr %zext_nneg.a)
  %zext_nneg.b = call ptr @zext_nneg()
  call void @llvm.coro.destroy(ptr %zext_nneg.b)
  %trunc.a = call ptr @trunc()
  call void @llvm.coro.resume(ptr %trunc.a)
  %trunc.b = call ptr @trunc()
  call void @llvm.coro.destroy(ptr %trunc.b)
  %bitcast.a = call ptr @bitcast()
  call void @llvm.coro.resume(ptr %bitcast.a)
  %bitcast.b = call ptr @bitcast()
  call void @llvm.coro.destroy(ptr %bitcast.b)
  %freeze.a = call ptr @freeze()
  call void @llvm.coro.resume(ptr %freeze.a)
  %freeze.b = call ptr @freeze()
  call void @llvm.coro.destroy(ptr %freeze.b)
  %and.a = call ptr @and()
  call void @llvm.coro.resume(ptr %and.a)
  %and.b = call ptr @and()
  call void @llvm.coro.destroy(ptr %and.b)
  %xor.a = call ptr @xor()
  call void @llvm.coro.resume(ptr %xor.a)
  %xor.b = call ptr @xor()
  call void @llvm.coro.destroy(ptr %xor.b)
  %add.a = call ptr @add()
  call void @llvm.coro.resume(ptr %add.a)
  %add.b = call ptr @add()
  call void @llvm.coro.destroy(ptr %add.b)
  %add_wraps.a = call ptr @add_wraps()
  call void @llvm.coro.resume(ptr %add_wraps.a)
  %add_wraps.b = call ptr @add_wraps()
  call void @llvm.coro.destroy(ptr %add_wraps.b)
  %or_sub_mul.a = call ptr @or_sub_mul()
  call void @llvm.coro.resume(ptr %or_sub_mul.a)
  %or_sub_mul.b = call ptr @or_sub_mul()
  call void @llvm.coro.destroy(ptr %or_sub_mul.b)
  %shifts.a = call ptr @shifts()
  call void @llvm.coro.resume(ptr %shifts.a)
  %shifts.b = call ptr @shifts()
  call void @llvm.coro.destroy(ptr %shifts.b)
  %divided.a = call ptr @divided()
  call void @llvm.coro.resume(ptr %divided.a)
  %divided.b = call ptr @divided()
  call void @llvm.coro.destroy(ptr %divided.b)
  %compared_twice.a = call ptr @compared_twice()
  call void @llvm.coro.resume(ptr %compared_twice.a)
  %compared_twice.b = call ptr @compared_twice()
  call void @llvm.coro.destroy(ptr %compared_twice.b)
  %select.a = call ptr @select()
  call void @llvm.coro.resume(ptr %select.a)
  %select.b = call ptr @select()
  call void @llvm.coro.destroy(ptr %select.b)
  %minimum.a = call ptr @minimum()
  call void @llvm.coro.resume(ptr %minimum.a)
  %minimum.b = call ptr @minimum()
  call void @llvm.coro.destroy(ptr %minimum.b)
  %expected.a = call ptr @expected()
  call void @llvm.coro.resume(ptr %expected.a)
  %expected.b = call ptr @expected()
  call void @llvm.coro.destroy(ptr %expected.b)
  %maximum.a = call ptr @maximum()
  call void @llvm.coro.resume(ptr %maximum.a)
  %maximum.b = call ptr @maximum()
  call void @llvm.coro.destroy(ptr %maximum.b)
  %ordered.a = call ptr @ordered()
  call void @llvm.coro.resume(ptr %ordered.a)
  %ordered.b = call ptr @ordered()
  call void @llvm.coro.destroy(ptr %ordered.b)
  %ordered_unsigned.a = call ptr @ordered_unsigned()
  call void @llvm.coro.resume(ptr %ordered_unsigned.a)
  %ordered_unsigned.b = call ptr @ordered_unsigned()
  call void @llvm.coro.destroy(ptr %ordered_unsigned.b)
  ret i32 0
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i32 @llvm.coro.size.i32()
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare i8 @llvm.umin.i8(i8, i8)
declare i8 @llvm.expect.i8(i8, i8)
declare i8 @llvm.smax.i8(i8, i8)
declare i8 @llvm.smin.i8(i8, i8)
declare i2 @llvm.scmp.i2.i8(i8, i8)
declare i32 @llvm.ucmp.i32.i8(i8, i8)
declare ptr @malloc(i32)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
