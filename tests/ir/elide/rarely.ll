; A marked call that executes in less than 55 of 100 runs of the caller still allocates. The estimate assumes that
; suspended coroutines are resumed, follows paths that a cleanup index selects, and uses loops, profiles and comparisons
; with null.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-annotation-elide %s -o - | FileCheck %s
; RUN: sed 's/switch i32 %%then, label %%end .i32 0, label %%on./%%zero = icmp eq i32 %%then, 0\n  br i1 %%zero, label %%on, label %%end/' %s > %t.compared.ll
; RUN: pycoro opt -S -passes=coro-annotation-elide %t.compared.ll -o - | FileCheck %s
; RUN: pycoro opt -S -passes=coro-annotation-elide %s -o /dev/null --json 2>&1 | FileCheck %s --check-prefix=REMARK

; CHECK-LABEL: define ptr @decided(
; CHECK: call ptr @callee.noalloc(i32 11,
; CHECK: call ptr @callee(i32 12)
; CHECK: call ptr @callee(i32 13)
; CHECK: call ptr @callee.noalloc(i32 14,
; CHECK-LABEL: define ptr @caller(
; CHECK: call noundef ptr @callee.noalloc(i32 signext 1, ptr %callee.frame{{[0-9]*}}) #[[#]] [ "note"(i32 3) ]
; CHECK: call ptr @callee.noalloc(i32 2,
; CHECK: call ptr @callee(i32 3)
; CHECK: call ptr @callee.noalloc(i32 4,
; CHECK: call ptr @callee.noalloc(i32 5,
; CHECK: call ptr @callee.noalloc(i32 6,
; CHECK: call ptr @callee(i32 7)
; CHECK: call ptr @callee.noalloc(i32 8,
; CHECK: call ptr @callee(i32 9)
; CHECK-LABEL: define ptr @plain(
; CHECK: call ptr @callee(i32 10)

; REMARK: CoroAnnotationElideUnlikely
; REMARK: 'callee' not elided in 'caller': the call is rarely executed

; What an optimiser has decided is not weighed.
define ptr @decided() presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @decided, ptr null)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  br i1 true, label %on, label %off
on:
  %a = call ptr @callee(i32 11) coro_elide_safe
  br label %more
off:
  %b = call ptr @callee(i32 12) coro_elide_safe
  br label %more
more:
  switch i32 5, label %other [i32 4, label %four
                              i32 5, label %five]
four:
  %c = call ptr @callee(i32 13) coro_elide_safe
  br label %other
five:
  %d = call ptr @callee(i32 14) coro_elide_safe
  br label %other
other:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

define ptr @caller(i1 %c, ptr %p) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @caller, ptr null)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %always = call noundef ptr @callee(i32 signext 1) coro_elide_safe [ "note"(i32 3) ]
  call void @use(ptr %always)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %ret [i8 0, label %resumed
                            i8 1, label %destroyed]
resumed:
  br label %cleanup
destroyed:
  br label %cleanup
cleanup:
  %then = phi i32 [ 0, %resumed ], [ 2, %destroyed ]
  switch i32 %then, label %end [i32 0, label %on]
on:
  %b = call ptr @callee(i32 2) coro_elide_safe
  br i1 %c, label %half, label %not.half
half:
  %d = call ptr @callee(i32 3) coro_elide_safe
  br label %not.half
not.half:
  %none = icmp eq ptr %p, null
  br i1 %none, label %end, label %some
some:
  %e = call ptr @callee(i32 4) coro_elide_safe
  br label %loop
loop:
  %m = call i1 @maybe()
  br i1 %m, label %loop.half, label %latch
loop.half:
  %f = call ptr @callee(i32 5) coro_elide_safe
  br label %latch
latch:
  %q = call i1 @maybe()
  br i1 %q, label %loop, label %after
after:
  %g = call ptr @callee(i32 6) coro_elide_safe
  %unmarked = call ptr @callee(i32 7)
  br i1 %c, label %likely, label %unlikely, !prof !0
likely:
  %h = call ptr @callee(i32 8) coro_elide_safe
  br label %end
unlikely:
  %i = call ptr @callee(i32 9) coro_elide_safe
  br label %end
end:
  br label %ret
ret:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

define ptr @plain() {
  %a = call ptr @callee(i32 10) coro_elide_safe
  ret ptr %a
}

; A coroutine that was split: its llvm.coro.id lists its parts.
@callee.resumers = private constant [4 x ptr] [ptr @callee.resume, ptr @callee.destroy, ptr @callee.cleanup, ptr @callee.noalloc]

define ptr @callee(i32 %n) {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @callee, ptr @callee.resumers)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  ret ptr %hdl
}

declare void @callee.resume(ptr)
declare void @callee.destroy(ptr)
declare void @callee.cleanup(ptr)
declare ptr @callee.noalloc(i32, ptr align 16 dereferenceable(48))
declare i1 @maybe()
declare void @use(ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)

!0 = !{!"branch_weights", i32 99, i32 1}
