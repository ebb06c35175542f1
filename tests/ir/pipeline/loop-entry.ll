; For WebAssembly, a loop that contains an exception pad is entered in one place. The dispatch goes on to the header, into
; the middle of the loop, and to the invoke that unwinds into the loop from outside: that is split from what is before it.
; What it uses, and what is used after it, is read from phis. Loops without pads, and other targets, stay as they are.
; RUN: pycoro opt %s -passes=coro-cleanup -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc-22 -filetype=null -mattr=+exception-handling,+reference-types,+multivalue -wasm-enable-eh -wasm-use-legacy-eh=false -exception-model=wasm %t.ll
; RUN: sed 's/wasm32-unknown-unknown/x86_64-unknown-linux-gnu/' %s | pycoro opt - -passes=coro-cleanup -S | FileCheck %s --check-prefix=OTHER
; RUN: pycoro opt %s -passes=mem2reg -S | FileCheck %s --check-prefix=OTHER
; UNSUPPORTED: reference

; OTHER-NOT: loop.dispatch

target triple = "wasm32-unknown-unknown"

; CHECK-LABEL: define void @entered_in_the_middle(
; CHECK: entry:
; CHECK-NEXT: switch i32 %at, label %[[HEAD:.*]] [
; CHECK-NEXT: i32 1, label %landing
; CHECK-NEXT: i32 2, label %[[INSIDE:.*]]
; CHECK: head:
; CHECK-NEXT: %i = phi i32 [ %[[I:.*]], %loop.dispatch ]
; CHECK: landing:
; CHECK-NEXT: %v = call i32 @get()
; CHECK-NEXT: br label %[[LANDING:.*]]
; CHECK: inside:
; CHECK: latch:
; CHECK: br label %[[HEAD]]
; CHECK: [[INVOKE:loop.unwind.*]]:
; CHECK-NEXT: %r = invoke i32 @use(i32 %[[V:.*]])
; CHECK: loop.dispatch:
; CHECK: %[[V]] = phi i32 [ %v, %[[LANDING]] ]
; CHECK-NEXT: %[[I]] = phi i32 [ poison, %[[LANDING]] ], [ %[[START:.*]], %[[HEAD]] ], [ poison, %[[INSIDE]] ]
; CHECK-NEXT: phi i32 [ poison, %[[LANDING]] ], [ poison, %[[HEAD]] ], [ %[[MIDDLE:.*]], %[[INSIDE]] ]
; CHECK: switch i32 %loop.target, label %[[INVOKE]] [
; CHECK-DAG: label %head
; CHECK-DAG: label %inside
; CHECK: [[LANDING]]:
; CHECK-NEXT: br label %loop.dispatch
; CHECK: [[HEAD]]:
; CHECK: %[[START]] = phi i32 [ 0, %entry ], [ %next, %latch ]
; CHECK: [[INSIDE]]:
; CHECK-NEXT: %[[MIDDLE]] = phi i32 [ 7, %entry ]
; CHECK: }
define void @entered_in_the_middle(i32 %at) personality ptr @__gxx_wasm_personality_v0 {
entry:
  switch i32 %at, label %head [
    i32 1, label %landing
    i32 2, label %inside
  ]

head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i32 %i, 10
  br i1 %more, label %body, label %exit

body:
  invoke void @throws(i32 %i)
          to label %inside unwind label %pad

landing:
  %v = call i32 @get()
  %r = invoke i32 @use(i32 %v)
          to label %landed unwind label %pad

landed:
  %s = add i32 %r, %v
  br label %inside

inside:
  %x = phi i32 [ %i, %body ], [ %s, %landed ], [ 7, %entry ]
  call void @report(i32 %x)
  br label %latch

pad:
  %switch = catchswitch within none [label %handler] unwind to caller

handler:
  %catch = catchpad within %switch [ptr null]
  catchret from %catch to label %latch

latch:
  %y = phi i32 [ %x, %inside ], [ 5, %handler ]
  %next = add i32 %y, 1
  br label %head

exit:
  ret void
}

; A pad in a funclet that unwinds from outside of the loop: the funclet as a whole is made a part of the loop, up to the
; invoke that it is entered from.
; CHECK-LABEL: define void @entered_from_a_funclet(
; CHECK: landing:
; CHECK-NEXT: %a = add i32 %at, 1
; CHECK-NEXT: br label %loop.enter
; CHECK: loop.dispatch:
; CHECK: switch i32 %loop.target, label %loop.unwind [
; CHECK-DAG: label %head
; CHECK-DAG: label %inside
; CHECK: }
define void @entered_from_a_funclet(i32 %at) personality ptr @__gxx_wasm_personality_v0 {
entry:
  switch i32 %at, label %head [
    i32 1, label %landing
    i32 2, label %inside
  ]

head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  invoke void @throws(i32 %i)
          to label %inside unwind label %pad

landing:
  %a = add i32 %at, 1
  invoke void @throws(i32 %a)
          to label %inside unwind label %cleanup

cleanup:
  %inner = cleanuppad within none []
  call void @report(i32 %a) [ "funclet"(token %inner) ]
  cleanupret from %inner unwind label %pad

inside:
  call void @report(i32 1)
  br label %latch

pad:
  %switch = catchswitch within none [label %handler] unwind to caller

handler:
  %catch = catchpad within %switch [ptr null]
  catchret from %catch to label %latch

latch:
  %next = add i32 %at, 1
  %more = icmp slt i32 %next, 10
  br i1 %more, label %head, label %exit

exit:
  ret void
}

; Nested loops that are entered in the inner one: each gets a dispatch of its own.
; CHECK-LABEL: define void @nested(
; CHECK: inner:
; CHECK-NEXT: %j = phi i32 [ %{{.*}}, %[[INNER:loop.dispatch.*]] ]
; CHECK: loop.dispatch:
; CHECK: switch i32 %loop.target, label %outer [
; CHECK-NEXT: i32 1, label %[[ENTER:loop.enter.*]]
; CHECK: [[INNER]]:
; CHECK: switch i32 %{{loop.target.*}}, label %{{inner|inside}} [
; CHECK-NEXT: i32 1, label %{{inner|inside}}
; CHECK: [[ENTER]]:
; CHECK: br label %[[INNER]]
; CHECK: }
define void @nested(i1 %started) personality ptr @__gxx_wasm_personality_v0 {
entry:
  br i1 %started, label %outer, label %inside

outer:
  call void @report(i32 2)
  br label %inner

inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner.latch ]
  br label %inside

inside:
  %k = phi i32 [ 3, %entry ], [ %j, %inner ]
  invoke void @throws(i32 %k)
          to label %inner.latch unwind label %pad

pad:
  %switch = catchswitch within none [label %handler] unwind to caller

handler:
  %catch = catchpad within %switch [ptr null]
  catchret from %catch to label %inner.latch

inner.latch:
  %j.next = add i32 %k, 1
  %again = icmp slt i32 %j.next, 10
  br i1 %again, label %inner, label %outer.latch

outer.latch:
  %more = icmp slt i32 %j.next, 20
  br i1 %more, label %outer, label %exit

exit:
  ret void
}

; CHECK-LABEL: define void @without_pads(
; CHECK-NOT: loop.dispatch
; CHECK: }
define void @without_pads(i1 %resumed) {
entry:
  br i1 %resumed, label %inside, label %head

head:
  call void @report(i32 0)
  br label %inside

inside:
  call void @report(i32 1)
  br label %head
}

; CHECK-LABEL: define void @one_entry(
; CHECK-NOT: loop.dispatch
; CHECK: }
define void @one_entry() personality ptr @__gxx_wasm_personality_v0 {
entry:
  br label %head

head:
  invoke void @throws(i32 0)
          to label %head unwind label %pad

pad:
  %switch = catchswitch within none [label %handler] unwind to caller

handler:
  %catch = catchpad within %switch [ptr null]
  catchret from %catch to label %head
}

declare i32 @get()
declare i32 @use(i32)
declare void @throws(i32)
declare void @report(i32)
declare i32 @__gxx_wasm_personality_v0(...)
