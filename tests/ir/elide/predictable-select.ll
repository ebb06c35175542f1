; A function that drives an elided coroutine is marked. At the end of the run, a select in its loops becomes a branch if the
; condition is periodic in a counter, one operand is the value of the previous iteration, and the other is computed from it.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-cleanup %s | FileCheck %s --implicit-check-not=pycoro-drives-elided

declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i1 @decide(i32)

; The branch skips both instructions of the dependency chain. A poison condition of the select is no undefined behavior, so
; the condition is frozen.
; CHECK-LABEL: define i32 @remainder(
; CHECK: loop:
; CHECK-NEXT: %kept = phi i32 [ 0, %entry ], [ %next, %selected ]
; CHECK-NEXT: %i = phi i32 [ 0, %entry ], [ %following, %selected ]
; CHECK-NEXT: %rest = urem i32 %i, 3
; CHECK-NEXT: %accepted = icmp eq i32 %rest, 0
; CHECK-NEXT: [[FROZEN:%.*]] = freeze i1 %accepted
; CHECK-NEXT: br i1 [[FROZEN]], label %computed, label %selected
; CHECK: computed:
; CHECK-NEXT: %rotated = call i32 @llvm.fshl.i32(i32 %kept, i32 %kept, i32 1)
; CHECK-NEXT: %sum = add i32 %rotated, %i
; CHECK-NEXT: br label %selected
; CHECK: selected:
; CHECK-NEXT: %next = phi i32 [ %sum, %computed ], [ %kept, %loop ]
; CHECK-NEXT: %following = add i32 %i, 1
define i32 @remainder(i32 %n) "pycoro-drives-elided" {
entry:
  br label %loop
loop:
  %kept = phi i32 [ 0, %entry ], [ %next, %loop ]
  %i = phi i32 [ 0, %entry ], [ %following, %loop ]
  %rest = urem i32 %i, 3
  %accepted = icmp eq i32 %rest, 0
  %rotated = call i32 @llvm.fshl.i32(i32 %kept, i32 %kept, i32 1)
  %sum = add i32 %rotated, %i
  %next = select i1 %accepted, i32 %sum, i32 %kept
  %following = add i32 %i, 1
  %more = icmp slt i32 %following, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %next
}

; Two conditions become two branches.
; CHECK-LABEL: define i32 @two_conditions(
; CHECK: loop:
; CHECK: freeze i1 %above
; CHECK-NEXT: br i1 {{.*}}, label %second, label %selected
; CHECK: second:
; CHECK-NEXT: %bits = and i32 %i, 6
; CHECK-NEXT: %any = icmp ne i32 %bits, 0
; CHECK-NEXT: freeze i1 %any
; CHECK-NEXT: br i1 {{.*}}, label %computed, label %selected
; CHECK: computed:
; CHECK: %first = add i32
; CHECK: selected:
; CHECK-NEXT: %after_first = phi i32 [ %first, %computed ], [ %kept, %loop ], [ %kept, %second ]
; CHECK: %other_rotated = mul i32 %after_first, 3
define i32 @two_conditions(i32 %n, i32 %least) "pycoro-drives-elided" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %following, %loop ]
  %kept = phi i32 [ 0, %entry ], [ %next, %loop ]
  %above = icmp sgt i32 %i, %least
  %bits = and i32 %i, 6
  %any = icmp ne i32 %bits, 0
  %both = and i1 %above, %any
  %tripled = mul i32 %kept, 3
  %first = add i32 %tripled, %i
  %after_first = select i1 %both, i32 %first, i32 %kept
  %second_i = or disjoint i32 %i, 1
  %other_rotated = mul i32 %after_first, 3
  %next = add i32 %other_rotated, %second_i
  %following = add i32 %i, 2
  %more = icmp slt i32 %following, %n
  br i1 %more, label %loop, label %end
end:
  %last = phi i32 [ %next, %loop ]
  ret i32 %last
}

; A call, the value of the previous iteration, and a remainder by a large number are not predictable.
; CHECK-LABEL: define i32 @unpredictable(
; CHECK-COUNT-3: select i1
; CHECK: br i1 %more, label %loop, label %end
define i32 @unpredictable(i32 %n) "pycoro-drives-elided" {
entry:
  br label %loop
loop:
  %kept = phi i32 [ 0, %entry ], [ %c, %loop ]
  %i = phi i32 [ 0, %entry ], [ %following, %loop ]
  %decided = call i1 @decide(i32 %i)
  %a1 = mul i32 %kept, 3
  %a2 = add i32 %a1, %i
  %a = select i1 %decided, i32 %a2, i32 %kept
  %odd = trunc i32 %a to i1
  %b1 = mul i32 %a, 3
  %b2 = add i32 %b1, %i
  %b = select i1 %odd, i32 %b2, i32 %a
  %rest = urem i32 %i, 1000
  %multiple = icmp eq i32 %rest, 7
  %c1 = mul i32 %b, 3
  %c2 = add i32 %c1, %i
  %c = select i1 %multiple, i32 %b, i32 %c2
  %following = add i32 %i, 1
  %more = icmp slt i32 %following, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %c
}

; The program or its profile knows better; both operands are computed; one instruction of a chain is not worth a branch; the
; sum is also used elsewhere, so it has to be computed in any case.
; CHECK-LABEL: define i32 @not_worth(
; CHECK-COUNT-5: select i1
; CHECK: br i1 %more, label %loop, label %end
define i32 @not_worth(i32 %n, ptr %out) "pycoro-drives-elided" {
entry:
  br label %loop
loop:
  %kept = phi i32 [ 0, %entry ], [ %e, %loop ]
  %i = phi i32 [ 0, %entry ], [ %following, %loop ]
  %rest = and i32 %i, 3
  %accepted = icmp eq i32 %rest, 0
  %a1 = mul i32 %kept, 3
  %a2 = add i32 %a1, %i
  %a = select i1 %accepted, i32 %a2, i32 %kept, !unpredictable !0
  %b1 = mul i32 %a, 3
  %b2 = add i32 %b1, %i
  %b = select i1 %accepted, i32 %b2, i32 %a, !prof !1
  %c1 = mul i32 %b, 3
  %c2 = add i32 %c1, %i
  %c3 = mul i32 %b, 5
  %c = select i1 %accepted, i32 %c2, i32 %c3
  %d1 = mul i32 %c, 3
  %d = select i1 %accepted, i32 %d1, i32 %c
  %e1 = mul i32 %d, 3
  %e2 = add i32 %e1, %i
  store i32 %e2, ptr %out
  %e = select i1 %accepted, i32 %e2, i32 %d
  %following = add i32 %i, 1
  %more = icmp slt i32 %following, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %e
}

; CHECK-LABEL: define i32 @for_size(
; CHECK: select i1 %accepted
define i32 @for_size(i32 %n) optsize "pycoro-drives-elided" {
entry:
  br label %loop
loop:
  %kept = phi i32 [ 0, %entry ], [ %next, %loop ]
  %i = phi i32 [ 0, %entry ], [ %following, %loop ]
  %rest = urem i32 %i, 3
  %accepted = icmp eq i32 %rest, 0
  %a1 = mul i32 %kept, 3
  %a2 = add i32 %a1, %i
  %next = select i1 %accepted, i32 %a2, i32 %kept
  %following = add i32 %i, 1
  %more = icmp slt i32 %following, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %next
}

; A function without the mark does not change.
; CHECK-LABEL: define i32 @other(
; CHECK: select i1 %accepted
define i32 @other(i32 %n) {
entry:
  br label %loop
loop:
  %kept = phi i32 [ 0, %entry ], [ %next, %loop ]
  %i = phi i32 [ 0, %entry ], [ %following, %loop ]
  %rest = urem i32 %i, 3
  %accepted = icmp eq i32 %rest, 0
  %a1 = mul i32 %kept, 3
  %a2 = add i32 %a1, %i
  %next = select i1 %accepted, i32 %a2, i32 %kept
  %following = add i32 %i, 1
  %more = icmp slt i32 %following, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %next
}

!0 = !{}
!1 = !{!"branch_weights", i32 1, i32 1}

; A hash of a counter is not predictable: a product, a shift or a sum with a large step that overflows.
; CHECK-LABEL: define i32 @multiplied(
; CHECK: select i1 %accepted
; CHECK-LABEL: define i32 @shifted(
; CHECK: select i1 %accepted
; CHECK-LABEL: define i32 @stepped(
; CHECK: select i1 %accepted
; CHECK-LABEL: define i32 @scaled(
; CHECK: br i1 {{.*}}, label %computed, label %selected
; CHECK-LABEL: define i32 @as_written(
; CHECK: select i1 %accepted
define i32 @multiplied(i32 %n, i32 %most) "pycoro-drives-elided" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %following, %loop ]
  %h = phi i32 [ 0, %entry ], [ %h.next, %loop ]
  %kept = phi i32 [ 0, %entry ], [ %next, %loop ]
  %hash = mul i32 %i, -1640531527
  %accepted = icmp ult i32 %hash, %most
  %tripled = mul i32 %kept, 3
  %sum = add i32 %tripled, %i
  %next = select i1 %accepted, i32 %sum, i32 %kept
  %h.next = add i32 %h, -1640531527
  %following = add i32 %i, 1
  %more = icmp slt i32 %following, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %next
}
define i32 @shifted(i32 %n, i32 %most) "pycoro-drives-elided" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %following, %loop ]
  %h = phi i32 [ 0, %entry ], [ %h.next, %loop ]
  %kept = phi i32 [ 0, %entry ], [ %next, %loop ]
  %hash = shl i32 %i, 24
  %accepted = icmp ult i32 %hash, %most
  %tripled = mul i32 %kept, 3
  %sum = add i32 %tripled, %i
  %next = select i1 %accepted, i32 %sum, i32 %kept
  %h.next = add i32 %h, -1640531527
  %following = add i32 %i, 1
  %more = icmp slt i32 %following, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %next
}
define i32 @stepped(i32 %n, i32 %most) "pycoro-drives-elided" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %following, %loop ]
  %h = phi i32 [ 0, %entry ], [ %h.next, %loop ]
  %kept = phi i32 [ 0, %entry ], [ %next, %loop ]
  %accepted = icmp ult i32 %h, %most
  %tripled = mul i32 %kept, 3
  %sum = add i32 %tripled, %i
  %next = select i1 %accepted, i32 %sum, i32 %kept
  %h.next = add i32 %h, -1640531527
  %following = add i32 %i, 1
  %more = icmp slt i32 %following, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %next
}
define i32 @scaled(i32 %n, i32 %most) "pycoro-drives-elided" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %following, %loop ]
  %h = phi i32 [ 0, %entry ], [ %h.next, %loop ]
  %kept = phi i32 [ 0, %entry ], [ %next, %loop ]
  %hash = mul i32 %i, 12
  %accepted = icmp ult i32 %hash, %most
  %tripled = mul i32 %kept, 3
  %sum = add i32 %tripled, %i
  %next = select i1 %accepted, i32 %sum, i32 %kept
  %h.next = add i32 %h, -1640531527
  %following = add i32 %i, 1
  %more = icmp slt i32 %following, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %next
}
define i32 @as_written(i32 %n, i32 %most) noinline optnone "pycoro-drives-elided" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %following, %loop ]
  %h = phi i32 [ 0, %entry ], [ %h.next, %loop ]
  %kept = phi i32 [ 0, %entry ], [ %next, %loop ]
  %hash = mul i32 %i, 12
  %accepted = icmp ult i32 %hash, %most
  %tripled = mul i32 %kept, 3
  %sum = add i32 %tripled, %i
  %next = select i1 %accepted, i32 %sum, i32 %kept
  %h.next = add i32 %h, -1640531527
  %following = add i32 %i, 1
  %more = icmp slt i32 %following, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %next
}
