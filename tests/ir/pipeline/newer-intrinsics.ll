; LLVM 23 has intrinsics that LLVM 22 takes for functions of another module. llvm.coro.dead has no effect, and is removed
; by whatever pass of pycoro's comes first; all others are rejected by name.
; UNSUPPORTED: reference
; RUN: split-file %s %t
; RUN: pycoro opt %t/dead.ll -passes='coro-early,cgscc(coro-split),coro-cleanup' -S | FileCheck %s --check-prefix=DEAD
; RUN: pycoro opt %t/dead.ll -passes='cgscc(coro-split)' -S | FileCheck %s --check-prefix=DEAD
; RUN: pycoro opt %t/dead.ll -passes='default<O2>' -S | FileCheck %s --check-prefix=DEAD
; RUN: pycoro opt %t/dead.ll -passes='dce' -S | FileCheck %s --check-prefix=LEFT
; RUN: not pycoro opt %t/unknown.ll -passes='coro-early' -S 2>&1 | FileCheck %s --check-prefix=UNKNOWN
; RUN: not pycoro opt %t/unknown.ll -passes='cgscc(coro-split)' -S 2>&1 | FileCheck %s --check-prefix=UNKNOWN
; RUN: not pycoro opt %t/unknown.ll -passes='default<O2>' -S 2>&1 | FileCheck %s --check-prefix=UNKNOWN

; DEAD-LABEL: define {{.*}}@f(
; DEAD-NOT: llvm.coro.dead
; LEFT: call void @llvm.coro.dead(ptr %hdl)
; UNKNOWN: error: llvm.coro.future is not an intrinsic of LLVM 22, and pycoro cannot lower it
; UNKNOWN-NEXT: @f, %out: call void @llvm.coro.future(ptr %hdl)
; UNKNOWN-NEXT: help: correct the name if it is misspelled, or compile for LLVM 22

;--- dead.ll
define ptr @f(ptr %mem) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %cleanup
                             i8 1, label %cleanup ]
cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %freed)
  call void @llvm.coro.dead(ptr %hdl)
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
declare void @free(ptr)
declare void @llvm.coro.dead(ptr)

;--- unknown.ll
define ptr @f(ptr %mem) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br label %out
out:
  call void @llvm.coro.future(ptr %hdl)
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
declare void @llvm.coro.future(ptr)
