; In functions that drive elided coroutines, a counter plus a constant that a loop adds to a carried value is computed one
; iteration ahead, so that the code generator does not add the constant to the carried value.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-cleanup %s | FileCheck %s --implicit-check-not=pycoro-drives-elided
; RUN: pycoro opt -passes=coro-cleanup %s | llc-22 -mtriple=x86_64 | FileCheck %s --check-prefix=CODE

declare void @unknown()

; CHECK-LABEL: define i32 @unrolled(
; CHECK: entry:
; CHECK-NEXT: [[FIRST:%.*]] = or disjoint i32 0, 1
; CHECK-NEXT: [[FROZEN:%.*]] = freeze i32 [[FIRST]]
; CHECK-NEXT: br label %loop
; CHECK: loop:
; CHECK-NEXT: [[TERM:%.*]] = phi i32 [ [[FROZEN]], %entry ], [ [[NEXT_FROZEN:%.*]], %loop ]
; CHECK-NOT: or disjoint i32 %i, 1
; CHECK: %next = add i32 %two, [[TERM]]
; CHECK: %following = add i32 %i, 2
; CHECK: [[NEXT:%.*]] = or disjoint i32 %following, 1
; CHECK-NEXT: [[NEXT_FROZEN]] = freeze i32 [[NEXT]]
; CHECK-NEXT: br i1 %more, label %loop, label %end

; Two instructions of the chain for each of the two elements, and none that adds the constant to the carried value.
; CODE-LABEL: unrolled:
; CODE: roll [[SUM:%e..]]
; CODE-NEXT: addl %{{.*}}, [[SUM]]
; CODE-NEXT: roll [[SUM]]
; CODE-NEXT: addl %{{.*}}, [[SUM]]
; CODE-NOT: [[SUM]]
; CODE: j{{[a-z]+}} .LBB0_1
define i32 @unrolled(i32 %n) "pycoro-drives-elided" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %following, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %next, %loop ]
  %one = call i32 @llvm.fshl.i32(i32 %sum, i32 %sum, i32 1)
  %added = add i32 %one, %i
  %two = call i32 @llvm.fshl.i32(i32 %added, i32 %added, i32 1)
  %i1 = or disjoint i32 %i, 1
  %next = add i32 %two, %i1
  %following = add i32 %i, 2
  %more = icmp slt i32 %following, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %next
}

; The term is an expression of several instructions, and the loop has two edges from one block.
; CHECK-LABEL: define i32 @two_edges(
; CHECK: [[FIRST:%.*]] = mul i32 7, %by
; CHECK-NEXT: [[SUM:%.*]] = add i32 [[FIRST]], 4
; CHECK-NEXT: [[FROZEN:%.*]] = freeze i32 [[SUM]]
; CHECK-NEXT: switch i32 %n, label %end
; CHECK: loop:
; CHECK-NEXT: phi i32 [ [[FROZEN]], %entry ], [ [[FROZEN]], %entry ], [ [[NEXT:%.*]], %loop ]
; CHECK-NOT: mul i32 %i, %by
; CHECK: mul i32 %following, %by
define i32 @two_edges(i32 %n, i32 %by) "pycoro-drives-elided" {
entry:
  switch i32 %n, label %end [ i32 5, label %loop
                              i32 9, label %loop ]
loop:
  %i = phi i32 [ 7, %entry ], [ 7, %entry ], [ %following, %loop ]
  %sum = phi i32 [ 0, %entry ], [ 0, %entry ], [ %next, %loop ]
  %tripled = mul i32 %sum, 3
  %product = mul i32 %i, %by
  %term = add i32 %product, 4
  %next = add i32 %tripled, %term
  %following = add i32 %i, 2
  %more = icmp slt i32 %following, %n
  br i1 %more, label %loop, label %end
end:
  %last = phi i32 [ 0, %entry ], [ %next, %loop ]
  ret i32 %last
}

; The constant and the counter are added first.
; CHECK-LABEL: define i32 @combined(
; CHECK: [[FIRST:%.*]] = add i32 0, 7
; CHECK-NEXT: freeze i32 [[FIRST]]
; CHECK: loop:
; CHECK-NEXT: [[TERM:%.*]] = phi i32
; CHECK-NOT: add i32 %tripled, 7
; CHECK: %next = add i32 %tripled, [[TERM]]
; CHECK: add i32 %following, 7
; CHECK-NEXT: freeze
define i32 @combined(i32 %n) "pycoro-drives-elided" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %following, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %next, %loop ]
  %tripled = mul i32 %sum, 3
  %first = add nsw i32 %tripled, 7
  %next = add nsw i32 %first, %i
  %following = add i32 %i, 2
  %more = icmp slt i32 %following, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %next
}

; Registers do not live across a call. A term with two uses is not combined. A sum that is not carried is no chain.
; CHECK-LABEL: define i32 @unchanged(
; CHECK-NOT: freeze
; CHECK: define i32 @other(
define i32 @unchanged(i32 %n, ptr %out) "pycoro-drives-elided" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %following, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %next, %loop ]
  %tripled = mul i32 %sum, 3
  %i1 = or disjoint i32 %i, 1
  %next = add i32 %tripled, %i1
  call void @unknown()
  %following = add i32 %i, 2
  %more = icmp slt i32 %following, %n
  br i1 %more, label %loop, label %second
second:
  %j = phi i32 [ 0, %loop ], [ %j.next, %second ]
  %sum2 = phi i32 [ 0, %loop ], [ %next2, %second ]
  %tripled2 = mul i32 %sum2, 3
  %j1 = or disjoint i32 %j, 1
  %next2 = add i32 %tripled2, %j1
  store i32 %j1, ptr %out
  %local = mul i32 %n, 7
  %j3 = add i32 %j, 3
  %result = add i32 %local, %j3
  store i32 %result, ptr %out
  %j.next = add i32 %j, 2
  %more2 = icmp slt i32 %j.next, %n
  br i1 %more2, label %second, label %end
end:
  ret i32 %next
}

; The result of an invoke is not available before the branch to the loop.
define i32 @invoked(i32 %n) "pycoro-drives-elided" personality ptr @personality {
entry:
  %by = invoke i32 @get() to label %loop unwind label %caught
loop:
  %i = phi i32 [ 0, %entry ], [ %following, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %next, %loop ]
  %tripled = mul i32 %sum, 3
  %term = add i32 %i, %by
  %next = add i32 %tripled, %term
  %following = add i32 %i, 2
  %more = icmp slt i32 %following, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %next
caught:
  %pad = landingpad { ptr, i32 } catch ptr null
  ret i32 0
}
declare i32 @get()
declare i32 @personality(...)

; A function without the mark does not change.
define i32 @other(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %following, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %next, %loop ]
  %tripled = mul i32 %sum, 3
  %i1 = or disjoint i32 %i, 1
  %next = add i32 %tripled, %i1
  %following = add i32 %i, 2
  %more = icmp slt i32 %following, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %next
}

; Two copies of a freeze may give different values.
; CHECK-LABEL: define i32 @frozen(
; CHECK-COUNT-1: freeze
; CHECK-NOT: freeze
define i32 @frozen(i32 %n, i32 %start, ptr %out) "pycoro-drives-elided" {
entry:
  br label %loop
loop:
  %i = phi i32 [ %start, %entry ], [ %following, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %next, %loop ]
  %tripled = mul i32 %sum, 3
  %known = freeze i32 %i
  %term = add i32 %known, 1
  %next = add i32 %tripled, %term
  %following = add i32 %i, 2
  %more = icmp slt i32 %known, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %next
}

; A loop without terms in registers does not change at all: one with a call; and a function that is not optimized.
; CHECK-LABEL: define i32 @called(
; CHECK: %first = add nsw i32 %tripled, 7
; CHECK-NEXT: %next = add nsw i32 %first, %i
; CHECK-LABEL: define i32 @as_written(
; CHECK: %first = add nsw i32 %tripled, 7
; CHECK-NEXT: %next = add nsw i32 %first, %i
define i32 @called(i32 %n) "pycoro-drives-elided" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %following, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %next, %loop ]
  %tripled = mul i32 %sum, 3
  %first = add nsw i32 %tripled, 7
  %next = add nsw i32 %first, %i
  call void @unknown()
  %following = add i32 %i, 2
  %more = icmp slt i32 %following, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %next
}

define i32 @as_written(i32 %n) noinline optnone "pycoro-drives-elided" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %following, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %next, %loop ]
  %tripled = mul i32 %sum, 3
  %first = add nsw i32 %tripled, 7
  %next = add nsw i32 %first, %i
  %following = add i32 %i, 2
  %more = icmp slt i32 %following, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %next
}
