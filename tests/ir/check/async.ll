; The checker proves async lowerings: inlined bodies of several blocks, a called projection, arguments of other types,
; ends that hand over, and prints nothing. A record that states too small a context is refuted in tests/c/check_mutants.c.
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s
; RUN: pycoro opt %s -S -check-lowering -passes='coro-early,cgscc(coro-split<reuse-storage>),coro-cleanup' 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: warning
; CHECK-LABEL: define swifttailcc void @f(
define swifttailcc void @f(ptr swiftasync %context, i64 %n, double %d) presplitcoroutine {
entry:
  %kept = alloca i64
  store i64 %n, ptr %kept
  %id = call token @llvm.coro.id.async(i32 24, i32 16, i32 0, ptr @f.fp)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %again ]
  %a = call ptr @llvm.coro.async.resume()
  %came = call { ptr, i64 } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0i64s(i32 0, ptr %a, ptr @choose,
      ptr @go, ptr %a, double %d, ptr %kept)
  %given = extractvalue { ptr, i64 } %came, 1
  %next = add i64 %i, %given
  %more = icmp slt i64 %next, %n
  br i1 %more, label %again, label %last
again:
  call void @use(ptr %kept)
  br label %loop
last:
  %b = call ptr @llvm.coro.async.resume()
  %back = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %b, ptr @elsewhere,
      ptr @next, ptr %context)
  call void @use(ptr %context)
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %hdl, i1 false, ptr @done, ptr %context, i64 %next)
  unreachable
}

define internal ptr @choose(ptr %context) {
  %null = icmp eq ptr %context, null
  br i1 %null, label %none, label %some
none:
  ret ptr null
some:
  %own = load ptr, ptr %context
  ret ptr %own
}

define internal swifttailcc void @go(i64 %back, i64 %bits, ptr %kept) {
  %room = alloca i64
  store i64 %bits, ptr %room
  %zero = icmp eq i64 %bits, 0
  br i1 %zero, label %out, label %call
call:
  call void @use(ptr %room)
  call void @use(ptr %kept)
  br label %out
out:
  %f = inttoptr i64 %back to ptr
  call swifttailcc void @next(ptr swiftasync %f)
  ret void
}

define internal swifttailcc void @done(ptr %context, i64 %result) {
  store i64 %result, ptr %context
  musttail call swifttailcc void @next(ptr swiftasync %context)
  ret void
}

@f.fp = global <{ i32, i32 }> <{ i32 0, i32 0 }>
declare ptr @elsewhere(ptr)
declare swifttailcc void @next(ptr swiftasync)
declare void @use(ptr)
declare token @llvm.coro.id.async(i32, i32, i32, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.async.resume()
declare { ptr } @llvm.coro.suspend.async.sl_p0s(i32, ptr, ptr, ...)
declare { ptr, i64 } @llvm.coro.suspend.async.sl_p0i64s(i32, ptr, ptr, ...)
declare void @llvm.coro.end.async(ptr, i1, ...)
