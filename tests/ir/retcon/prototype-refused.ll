; Continuations get the prototype's attributes, so a prototype that makes the buffer inaccessible is rejected, as is a coroutine
; whose own parameter is a copy of the buffer, or a variadic prototype.
; RUN: sed 's/FIRST//; s/WHOLE/naked/; s/OWN//' %s > %t.naked.ll
; RUN: not pycoro opt %t.naked.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=NAKED
; RUN: sed 's/FIRST/byval(i64)/; s/WHOLE//; s/OWN//' %s > %t.byval.ll
; RUN: not pycoro opt %t.byval.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=BYVAL
; RUN: sed 's/FIRST//; s/WHOLE//; s/OWN/byval(i64)/' %s > %t.own.ll
; RUN: not pycoro opt %t.own.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=OWN
; RUN: sed 's/FIRST/, .../; s/WHOLE//; s/OWN//' %s > %t.variadic.ll
; RUN: not pycoro opt %t.variadic.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=VARIADIC
; UNSUPPORTED: reference

; NAKED-NOT: define
; NAKED: the prototype is naked
; NAKED: @f
; NAKED: remove the attribute from the prototype
; BYVAL-NOT: define
; BYVAL: the attributes of the prototype's first parameter make it a copy of the caller's memory
; BYVAL: @f
; BYVAL: continuations share the buffer
; OWN-NOT: define
; OWN: error: the attributes of the parameter with the buffer make it a copy of the caller's memory
; VARIADIC: error: the prototype is variadic, but continuations are not
define ptr @f(ptr OWN %buffer) {
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
