; A suspend after an unwind end, from which the coroutine is only destroyed: its role and its landing.
; RUN: pycoro opt -passes=coro-early -S -o %t.ll %S/../switch/destroyed-after-throw.ll
; RUN: pycoro explain --stage shape --function awaited %t.ll | FileCheck %s
; RUN: pycoro explain --stage cfg --function awaited %t.ll | FileCheck %s --check-prefix=CFG

; CHECK-LABEL: @awaited
; CHECK: suspend {{[0-9]+}}: %result = call i8 @llvm.coro.suspend(token none, i1 false)
; CHECK-NEXT: unwound {{[0-9]+}}: %unwound.suspend = call i8 @llvm.coro.suspend(token none, i1 false)
; CHECK-NEXT: final {{[0-9]+}}: %final = call i8 @llvm.coro.suspend(token none, i1 true)
; CHECK-NEXT: end {{[0-9]+}}: call void @llvm.coro.end(ptr null, i1 true, token none)

; CFG: to landing 1 in none, while suspended
; CFG: landing 1 in destroy cleanup
