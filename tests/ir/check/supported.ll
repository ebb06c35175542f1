; The checker proves inputs with these constructs: swifterror values in both ABIs, and allocas that escape and share
; bytes of the frame with spilled values, or move into it; memory of llvm.coro.alloca.alloc from the
; allocator, also in the dynamic ABI; allocas of dynamic size on the heap, in a list that is freed with the frame; allocas in
; loops that have one place; paths with and without a frame that meet; suspends after an end by an exception;
; and coroutines that never suspend.
; RUN: pycoro opt %S/../switch/swifterror.ll -check-lowering -passes='coro-early,cgscc(coro-split)' -S 2>&1 | FileCheck %s
; RUN: pycoro opt %S/../retcon/swifterror.ll -check-lowering -passes='coro-early,cgscc(coro-split)' -S 2>&1 | FileCheck %s
; RUN: pycoro opt %S/../retcon/swifterror-and-byval.ll -check-lowering -passes='coro-early,cgscc(coro-split)' -S 2>&1 | FileCheck %s
; RUN: pycoro opt %S/../debug/frame-names.ll -check-lowering -passes='coro-early,cgscc(coro-split<reuse-storage>)' -S 2>&1 | FileCheck %s
; RUN: pycoro opt %S/../retcon/storage.ll -check-lowering -passes='coro-early,cgscc(coro-split)' -S 2>&1 | FileCheck %s
; RUN: pycoro opt %S/../switch/variable-where-ways-meet.ll -check-lowering -passes='coro-early,cgscc(coro-split)' -S 2>&1 | FileCheck %s
; RUN: pycoro opt %S/../early/promise.ll -check-lowering -passes='coro-early,cgscc(coro-split)' -S 2>&1 | FileCheck %s
; RUN: pycoro opt %S/../dynamic/type-id.ll -check-lowering -passes='coro-early,cgscc(coro-split)' -S 2>&1 | FileCheck %s
; RUN: pycoro opt %S/../dynamic/null-allocator.ll -check-lowering -passes='coro-early,cgscc(coro-split)' -S 2>&1 | FileCheck %s
; RUN: pycoro opt %S/../switch/storage.ll -check-lowering -passes='coro-early,cgscc(coro-split)' -S 2>&1 | FileCheck %s
; RUN: pycoro opt %S/../switch/dynamic-alloca.ll -check-lowering -passes='coro-early,cgscc(coro-split)' -S 2>&1 | FileCheck %s
; RUN: pycoro opt %S/../switch/alloca-made-anew.ll -check-lowering -passes='coro-early,cgscc(coro-split)' -S 2>&1 | FileCheck %s
; RUN: pycoro opt %S/../layout/scalable-used-apart.ll -check-lowering -passes='coro-early,cgscc(coro-split)' -S 2>&1 | FileCheck %s
; RUN: pycoro opt %S/../switch/zero-suspends.ll -check-lowering -passes='coro-early,cgscc(coro-split)' -S 2>&1 | FileCheck %s
; RUN: pycoro opt %S/../switch/alias-where-ways-meet-chosen.ll -check-lowering -passes='coro-early,cgscc(coro-split)' -S 2>&1 | FileCheck %s
; RUN: pycoro opt %S/../switch/unwind-end-between-suspends.ll -check-lowering -passes='coro-early,cgscc(coro-split)' -S 2>&1 | FileCheck %s
; RUN: pycoro opt %S/../early/freed-after-end.ll -check-lowering -passes='coro-early,cgscc(coro-split)' -S 2>&1 | FileCheck %s
; RUN: pycoro opt %S/../switch/suspend-over.ll -check-lowering -passes='coro-early,cgscc(coro-split)' -S 2>&1 | FileCheck %s
; UNSUPPORTED: reference

; CHECK-NOT: the lowering is not checked
; CHECK: ret
