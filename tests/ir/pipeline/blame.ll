; If IR is broken after a pass of LLVM's and one of pycoro's changed the same function in an optimization level, the
; error names both, since either may be wrong.
; UNSUPPORTED: reference
; RUN: not pycoro opt -S -passes='default<O2>' %s -o - 2>&1 | FileCheck %s
; RUN: not pycoro opt -S -verify-each -passes='default<O2>' %s -o - 2>&1 | FileCheck %s --check-prefix=EACH
; RUN: not pycoro opt -S -passes='function(memcpyopt),coro-cleanup' %s -o - 2>&1 | FileCheck %s --check-prefix=APART

; CHECK-NOT: mistake in pycoro
; CHECK: error: the module is broken after coro-{{[^:]*}}, or already after {{[^:]*}}: swifterror value
; CHECK-NEXT: @drive
; CHECK-NEXT: verify_each
; CHECK-NOT: mistake in pycoro
; EACH: error: the module is broken after {{.*}}: swifterror value
; EACH: report it to LLVM
; EACH-NOT: mistake in pycoro
; APART: error: the module is broken after {{.*}}memcpyopt{{.*}}: swifterror value
; APART: report it to LLVM

; A swifterror variable is read into another one: LLVM's memcpyopt gives the call the swifterror variable instead.
define void @drive() {
  %error = alloca swifterror ptr
  %buffer = alloca ptr
  %h = call ptr @handle()
  call void @llvm.coro.resume(ptr %h)
  store ptr null, ptr %error
  call swiftcc void @raise_error(ptr swifterror %error)
  %raised = load ptr, ptr %error
  store ptr %raised, ptr %buffer
  call void @see(ptr %buffer)
  ret void
}
define internal swiftcc void @raise_error(ptr writeonly swifterror captures(none) %error) noinline {
  store ptr inttoptr (i64 8 to ptr), ptr %error
  ret void
}
define internal void @see(ptr noalias readonly captures(none) %buffer) noinline {
  %raised = load ptr, ptr %buffer
  %number = ptrtoint ptr %raised to i64
  call void @report_i64(i64 %number)
  ret void
}
declare void @report_i64(i64)
declare ptr @handle()
declare ptr @malloc(i64)
declare void @free(ptr)
define ptr @f(i32 %n, i1 %c) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s0, label %suspend [i8 0, label %a
                             i8 1, label %a]
a:
  %m1 = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %m1)
  br label %suspend
suspend:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
