; An async coroutine whose frame holds vectors that are aligned to more than its context is. Its caller allocates as much
; as the async function pointer says, with a canary behind it; printed are the canary's bytes that have changed, and
; what the coroutine computes.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@wide.fp = global <{ i32, i32 }> <{ i32 0, i32 16 }>
@resume = global ptr null
@format = private constant [9 x i8] c"%d %lld\0A\00"

define swiftcc void @wide(ptr swiftasync %context, i64 %n) presplitcoroutine {
entry:
  %room = alloca [3 x <2 x double>], align 16
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @wide.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  call void @fill(ptr %room)
  %a = call <4 x double> @vector(i64 %n)
  %b = call <4 x double> @vector(i64 %n)
  %c = call i64 @number(i64 %n)
  %short = call i8 @byte(i64 %n)
  %back = call ptr @llvm.coro.async.resume()
  %came = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %back, ptr @same, ptr @keep, ptr %context, ptr %back)
  call void @fill(ptr %room)
  %sum = fadd <4 x double> %a, %b
  %last = extractelement <4 x double> %sum, i64 3
  %whole = fptosi double %last to i64
  %wider = zext i8 %short to i64
  %1 = add i64 %whole, %c
  %2 = add i64 %1, %wider
  store i64 %2, ptr @result
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false)
  unreachable
}
@result = global i64 0

define ptr @same(ptr %context) {
  ret ptr %context
}

define internal swiftcc void @keep(ptr swiftasync %context, ptr %back) {
  store ptr %back, ptr @resume
  ret void
}

define void @fill(ptr %room) noinline {
  call void @llvm.memset.p0.i64(ptr %room, i8 0, i64 48, i1 false)
  ret void
}

define <4 x double> @vector(i64 %n) noinline {
  %wide = sitofp i64 %n to double
  %vector = insertelement <4 x double> zeroinitializer, double %wide, i64 3
  ret <4 x double> %vector
}

define i64 @number(i64 %n) noinline {
  %twice = mul i64 %n, 2
  ret i64 %twice
}

define i8 @byte(i64 %n) noinline {
  %byte = trunc i64 %n to i8
  ret i8 %byte
}

define i32 @main() {
entry:
  %size = load i32, ptr getelementptr inbounds (<{ i32, i32 }>, ptr @wide.fp, i64 0, i32 1)
  %bytes = zext i32 %size to i64
  %all = add i64 %bytes, 64
  %context = call ptr @aligned_alloc(i64 64, i64 512)
  call void @llvm.memset.p0.i64(ptr %context, i8 -91, i64 512, i1 false)
  call swiftcc void @wide(ptr swiftasync %context, i64 7)
  %back = load ptr, ptr @resume
  call swiftcc void %back(ptr swiftasync %context)
  br label %look
look:
  %i = phi i64 [ %bytes, %entry ], [ %next, %look ]
  %changed = phi i32 [ 0, %entry ], [ %more, %look ]
  %at = getelementptr i8, ptr %context, i64 %i
  %byte = load i8, ptr %at
  %other = icmp ne i8 %byte, -91
  %one = zext i1 %other to i32
  %more = add i32 %changed, %one
  %next = add i64 %i, 1
  %end = icmp eq i64 %next, %all
  br i1 %end, label %out, label %look
out:
  %result = load i64, ptr @result
  call i32 (ptr, ...) @printf(ptr @format, i32 %more, i64 %result)
  ret i32 0
}

declare i32 @printf(ptr, ...)
declare ptr @aligned_alloc(i64, i64)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare token @llvm.coro.id.async(i32, i32, i32, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.async.resume()
declare { ptr } @llvm.coro.suspend.async.sl_p0s(i32, ptr, ptr, ...)
declare void @llvm.coro.end.async(ptr, i1, ...)
