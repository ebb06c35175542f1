; Allocator and deallocator calls follow the declarations, including extension and register attributes.
; RUN: pycoro opt %s -S -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s
; UNSUPPORTED: reference

; CHECK-LABEL: define ptr @f(
; CHECK: call fastcc ptr @allocate(i32 inreg zeroext 16)
; CHECK-LABEL: define internal ptr @f.resume.0(
; CHECK: call swiftcc void @deallocate(ptr swiftself %
define ptr @f(ptr %buffer, i64 %a, i64 %b) {
  %id = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  call void (...) @llvm.coro.suspend.retcon.isVoid()
  call void @use(i64 %a, i64 %b)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

declare ptr @prototype(ptr)
declare fastcc ptr @allocate(i32 inreg zeroext)
declare swiftcc void @deallocate(ptr swiftself)
declare void @use(i64, i64)
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare void @llvm.coro.suspend.retcon.isVoid(...)
declare void @llvm.coro.end(ptr, i1, token)
