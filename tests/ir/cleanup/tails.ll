; Parts that destroy have each tail once. @same: what is only computed stands elsewhere and in another order, and what one of
; the two tails reads first is what a phi gets from there; the metadata is what both have. @other: one differs by an operand,
; one by volatile, one by a flag, one by an attribute, one by what is computed before the tail. @inner: what begins otherwise
; may end alike, and so do pads. @kept is not to be optimised.
; RUN: pycoro opt %s -passes=coro-cleanup -verify-each -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %s | FileCheck %s --check-prefix=OUT
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT
; UNSUPPORTED: reference

; CHECK-LABEL: define internal fastcc void @same.destroy(
; CHECK: switch i8 %index, label %never [
; CHECK-NEXT: i8 0, label %tail
; CHECK-NEXT: i8 1, label %second
; CHECK-NEXT: i8 2, label %third
; CHECK-NEXT: i8 3, label %second
; CHECK-NEXT: ]
; CHECK: tail:
; CHECK-NEXT: %object = phi ptr [ @a, %entry ], [ %value, %second ], [ %kept, %third ]
; CHECK: load i32, ptr %member, align 4{{$}}
; CHECK-COUNT-2: {{^}}  call void @show(
; CHECK-NOT: call void @show(
; CHECK-LABEL: define internal fastcc void @other.destroy(
; CHECK-COUNT-6: {{^}}  call void @show(
; CHECK-NOT: call void @show(
; CHECK-LABEL: define internal fastcc void @inner.destroy(
; CHECK: atomicrmw add ptr %frame, i32 1 acquire
; CHECK-COUNT-2: {{^}}  call void @show(
; CHECK: landingpad
; CHECK-NOT: call void @show(
; CHECK: invoke void @throws(i32 2)
; CHECK-NEXT: to label %two.on unwind label %one.pad
; CHECK: atomicrmw add ptr %frame, i32 1 release
; CHECK-NEXT: br label %on
; CHECK-NOT: landingpad
; CHECK-LABEL: define internal fastcc void @kept.destroy(
; CHECK-COUNT-2: {{^}}  call void @show(

; OUT: {{^}}7 5 7 5 7 9 {{$}}

@a = internal global { i32, i32 } { i32 7, i32 5 }
@b = internal global { i32, i32 } { i32 7, i32 9 }
@frame = internal global { ptr, ptr } { ptr @a, ptr @b }
@format = private constant [4 x i8] c"%d \00"
@line = private constant [2 x i8] c"\0A\00"

@same.parts = internal constant [3 x ptr] [ptr @resume, ptr @same.destroy, ptr @same.destroy]
@other.parts = internal constant [3 x ptr] [ptr @resume, ptr @other.destroy, ptr @other.destroy]
@kept.parts = internal constant [3 x ptr] [ptr @resume, ptr @kept.destroy, ptr @kept.destroy]

@inner.parts = internal constant [3 x ptr] [ptr @resume, ptr @inner.destroy, ptr @inner.destroy]

define void @ramps() {
  %inner = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr @inner.parts)
  %1 = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr @same.parts)
  %2 = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr @other.parts)
  %3 = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr @kept.parts)
  ret void
}

define internal fastcc void @resume(ptr %frame) {
  ret void
}

define internal fastcc void @same.destroy(ptr %frame, i8 %index) {
entry:
  %slot = getelementptr i8, ptr %frame, i64 8
  switch i8 %index, label %never [
    i8 0, label %tail
    i8 1, label %second
    i8 2, label %third
    i8 3, label %fourth
  ]
second:
  %value = load ptr, ptr %frame, align 8
  br label %tail
tail:
  %object = phi ptr [ @a, %entry ], [ %value, %second ], [ %again, %fourth ]
  %far = getelementptr i8, ptr %object, i64 4
  %member = getelementptr i8, ptr %object, i64 0
  %number = load i32, ptr %member, align 4, !range !0
  %odd = icmp ne i32 %number, 0
  br i1 %odd, label %shows, label %out
shows:
  call void @show(i32 %number)
  %next = load i32, ptr %far, align 4
  call void @show(i32 %next)
  br label %out
out:
  ret void
fourth:
  %again = load ptr, ptr %frame, align 8
  br label %tail
third:
  %kept = load ptr, ptr %slot, align 8
  br label %third.on
third.on:
  %member3 = getelementptr i8, ptr %kept, i64 0
  %number3 = load i32, ptr %member3, align 4
  %odd3 = icmp ne i32 %number3, 0
  br i1 %odd3, label %shows3, label %out3
shows3:
  call void @show(i32 %number3)
  br label %shows3.on
shows3.on:
  %far3 = getelementptr i8, ptr %kept, i64 4
  %next3 = load i32, ptr %far3, align 4
  call void @show(i32 %next3)
  br label %out3
out3:
  ret void
never:
  unreachable
}

define internal fastcc void @other.destroy(ptr %frame, i8 %index, i32 %x) {
entry:
  switch i8 %index, label %never [
    i8 0, label %one
    i8 1, label %operand
    i8 2, label %volatile
    i8 3, label %flag
    i8 4, label %attribute
    i8 5, label %before
  ]
one:
  store i32 1, ptr %frame
  %sum = add i32 %x, 1
  call void @show(i32 %sum)
  ret void
operand:
  store i32 2, ptr %frame
  %sum.o = add i32 %x, 1
  call void @show(i32 %sum.o)
  ret void
volatile:
  store volatile i32 1, ptr %frame
  %sum.v = add i32 %x, 1
  call void @show(i32 %sum.v)
  ret void
flag:
  store i32 1, ptr %frame
  %sum.f = add nsw i32 %x, 1
  call void @show(i32 %sum.f)
  ret void
attribute:
  store i32 1, ptr %frame
  %sum.a = add i32 %x, 1
  call void @show(i32 noundef %sum.a)
  ret void
before:
  %sum.b = add i32 %x, 1
  br i1 true, label %before.on, label %never
before.on:
  store i32 1, ptr %frame
  %difference = sub i32 %x, 1
  call void @show(i32 %difference)
  ret void
never:
  unreachable
}

define internal fastcc void @inner.destroy(ptr %frame, i8 %index) personality ptr @personality {
entry:
  switch i8 %index, label %never [
    i8 0, label %one
    i8 1, label %two
  ]
one:
  invoke void @throws(i32 1) to label %one.on unwind label %one.pad
one.on:
  %before = atomicrmw add ptr %frame, i32 1 acquire
  br label %on
on:
  call void @show(i32 3)
  call void @show(i32 4)
  ret void
one.pad:
  %one.thrown = landingpad { ptr, i32 } catch ptr null
  call void @end(i32 1)
  unreachable
two:
  invoke void @throws(i32 2) to label %two.on unwind label %two.pad
two.on:
  %after = atomicrmw add ptr %frame, i32 1 release
  br label %two.last
two.last:
  br label %two.shows
two.shows:
  call void @show(i32 3)
  call void @show(i32 4)
  ret void
two.pad:
  %two.thrown = landingpad { ptr, i32 } catch ptr null
  call void @end(i32 1)
  unreachable
never:
  unreachable
}
define internal void @throws(i32 %number) {
  ret void
}
define internal void @end(i32 %number) {
  ret void
}
define internal i32 @personality(...) {
  ret i32 0
}

define internal fastcc void @kept.destroy(ptr %frame, i8 %index) noinline optnone {
entry:
  switch i8 %index, label %never [
    i8 0, label %one
    i8 1, label %two
  ]
one:
  call void @show(i32 1)
  ret void
two:
  call void @show(i32 1)
  ret void
never:
  unreachable
}

define internal void @show(i32 %number) {
  %1 = call i32 (ptr, ...) @printf(ptr @format, i32 %number)
  ret void
}

define i32 @main() {
  call fastcc void @same.destroy(ptr @frame, i8 0)
  call fastcc void @same.destroy(ptr @frame, i8 1)
  call fastcc void @same.destroy(ptr @frame, i8 2)
  %1 = call i32 (ptr, ...) @printf(ptr @line)
  ret i32 0
}

declare i32 @printf(ptr, ...)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
!0 = !{i32 0, i32 8}
