; The destruction after an exception: its continuation and its resume point.
; RUN: pycoro explain --stage destroy_after_unwind --function awaited %S/../switch/destroyed-after-throw.ll | FileCheck %s
; RUN: pycoro explain --stage cfg --function awaited %S/../switch/destroyed-after-throw.ll | FileCheck %s --check-prefix=CFG

; CHECK-LABEL: @awaited
; CHECK: after [[END:[0-9]+]]: call void @llvm.coro.end(ptr null, i1 true, token none)
; CHECK-NEXT: destroy continues at {{[0-9]+}}: call void @end(ptr %promise)

; CFG: to landing 2 in none, while suspended
; CFG: landing 2 in destroy cleanup

; RUN: pycoro explain --stage destroy_after_unwind --function same %S/../switch/destroyed-as-at-final.ll | FileCheck %s --check-prefix=FINAL
; RUN: pycoro explain --stage cfg --function same %S/../switch/destroyed-as-at-final.ll | FileCheck %s --check-prefix=FLOW

; FINAL-LABEL: @same
; FINAL: after {{[0-9]+}}: call void @llvm.coro.end(ptr null, i1 true, token none)
; FINAL-NEXT: destroy continues as at the final suspend

; FLOW: to landing 1 in none, while suspended
; FLOW-NOT: landing 2
