; A coroutine that yields repeatedly: each suspend returns the continuation and the yielded values. Its frame fits into
; the caller's buffer, so nothing is allocated.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-NOT: call {{.*}}@llvm.coro
; CHECK-NOT: call {{.*}}@allocate
; CHECK-LABEL: define { ptr, i32 } @f(
; CHECK: store
; CHECK: @f.resume.0
; CHECK: ret { ptr, i32 }
; CHECK-LABEL: define internal { ptr, i32 } @f.resume.0(ptr noalias noundef nonnull align 8 dereferenceable(16) %{{.*}}, i1 zeroext %
; CHECK: ret { ptr, i32 }
; OUT: 4 5 6 done 6

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@int = private constant [4 x i8] c"%d \00"
@done = private constant [9 x i8] c"done %d\0A\00"

define { ptr, i32 } @f(ptr %buffer, i32 %n) {
entry:
  %id = call token @llvm.coro.id.retcon(i32 16, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %frame = call ptr @llvm.coro.begin(token %id, ptr null)
  br label %loop
loop:
  %i = phi i32 [ %n, %entry ], [ %next, %more ]
  %stop = call i1 (...) @llvm.coro.suspend.retcon.i1(i32 %i)
  br i1 %stop, label %cleanup, label %more
more:
  %next = add i32 %i, 1
  br label %loop
cleanup:
  call i32 (ptr, ...) @printf(ptr @done, i32 %i)
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  unreachable
}

define i32 @main() {
entry:
  %buffer = alloca [16 x i8], align 8
  %first = call { ptr, i32 } @f(ptr %buffer, i32 4)
  br label %loop
loop:
  %state = phi { ptr, i32 } [ %first, %entry ], [ %second, %loop ]
  %count = phi i32 [ 0, %entry ], [ %more, %loop ]
  %go = extractvalue { ptr, i32 } %state, 0
  %value = extractvalue { ptr, i32 } %state, 1
  call i32 (ptr, ...) @printf(ptr @int, i32 %value)
  %more = add i32 %count, 1
  %last = icmp eq i32 %more, 3
  %second = call { ptr, i32 } %go(ptr %buffer, i1 zeroext %last)
  br i1 %last, label %end, label %loop
end:
  %null = extractvalue { ptr, i32 } %second, 0
  %ended = icmp eq ptr %null, null
  %code = select i1 %ended, i32 0, i32 1
  ret i32 %code
}

declare { ptr, i32 } @prototype(ptr, i1 zeroext)
declare ptr @allocate(i64)
declare void @deallocate(ptr)
declare i32 @printf(ptr, ...)
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare void @llvm.coro.end(ptr, i1, token)
