; A byval argument is not the continuation's swifterror argument: neither replaces the other.
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S | FileCheck %s

define swiftcc ptr @f(ptr %buffer, ptr byval(i32) align 8 %given, ptr swifterror %error) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.retcon(i32 16, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %back = call { i1, ptr } (...) @llvm.coro.suspend.retcon.sl_i1p0s()
  %place = select i1 false, ptr %given, ptr %given
  call swiftcc void @fail(ptr swifterror %error)
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  unreachable
}

; CHECK-LABEL: define internal swiftcc ptr @f.resume.0(
; CHECK-SAME: ptr swifterror [[ERROR:%.*]])
; CHECK: [[OWN:%.*]] = alloca i32, align 8
; CHECK: select i1 false, ptr [[OWN]], ptr [[OWN]]
; CHECK: call swiftcc void @fail(ptr swifterror [[ERROR]])

declare swiftcc ptr @prototype(ptr, i1, ptr swifterror)
declare swiftcc void @fail(ptr swifterror)
declare ptr @allocate(i64)
declare void @deallocate(ptr)
