; The buffer holds a plain pointer: a function that takes or returns one of another address space is rejected.
; RUN: sed 's/GIVEN/addrspace(3)/; s/MADE//; s/TAKEN//' %s > %t.given.ll
; RUN: not pycoro opt %t.given.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=GIVEN
; RUN: sed 's/GIVEN//; s/MADE/addrspace(3)/; s/TAKEN//' %s > %t.made.ll
; RUN: not pycoro opt %t.made.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=MADE
; RUN: sed 's/GIVEN//; s/MADE//; s/TAKEN/addrspace(3)/' %s > %t.taken.ll
; RUN: not pycoro opt %t.taken.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=TAKEN
; UNSUPPORTED: reference

; GIVEN-NOT: define
; GIVEN: the address space of the prototype's first parameter is not that of the buffer
; GIVEN: @f
; GIVEN: declare the parameter as ptr
; MADE-NOT: define
; MADE: the address space of the allocator's result is not that of the buffer
; MADE: @f
; MADE: use an allocator that returns a ptr
; TAKEN-NOT: define
; TAKEN: the address space of the deallocator's parameter is not that of the buffer
; TAKEN: @f
; TAKEN: use a deallocator with a ptr parameter
define ptr @f(ptr %buffer, i64 %a, i64 %b) {
  %id = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  call void (...) @llvm.coro.suspend.retcon.isVoid()
  call void @use(ptr %buffer, i64 %a, i64 %b)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

declare ptr @prototype(ptr GIVEN)
declare ptr MADE @allocate(i64)
declare void @deallocate(ptr TAKEN)
declare void @use(ptr, i64, i64)
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare void @llvm.coro.suspend.retcon.isVoid(...)
declare void @llvm.coro.end(ptr, i1, token)
