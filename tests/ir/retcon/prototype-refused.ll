; Continuations get the prototype's attributes, so a prototype that makes the buffer inaccessible is rejected.
; RUN: sed 's/FIRST//; s/WHOLE/naked/' %s > %t.naked.ll
; RUN: not pycoro opt %t.naked.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=NAKED
; RUN: sed 's/FIRST/byval(i64)/; s/WHOLE//' %s > %t.byval.ll
; RUN: not pycoro opt %t.byval.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=BYVAL
; UNSUPPORTED: reference

; NAKED-NOT: define
; NAKED: the prototype is naked
; NAKED: @f
; NAKED: remove the attribute from the prototype
; BYVAL-NOT: define
; BYVAL: the attributes of the prototype's first parameter make it a copy of the caller's memory
; BYVAL: @f
; BYVAL: continuations share the buffer
define ptr @f(ptr %buffer) {
  %id = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  call void (...) @llvm.coro.suspend.retcon.isVoid()
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

declare ptr @prototype(ptr FIRST) WHOLE
declare ptr @allocate(i64)
declare void @deallocate(ptr)
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare void @llvm.coro.suspend.retcon.isVoid(...)
declare void @llvm.coro.end(ptr, i1, token)
