; A function for a processor that cannot run the triple's code is rejected, because LLVM's passes would abort on it.
; UNSUPPORTED: reference
; RUN: split-file %s %t
; RUN: not pycoro opt -S -passes='coro-early,instcombine' %t/cpu.ll -o - 2>&1 | FileCheck %s --check-prefix=CPU
; RUN: not pycoro opt -S -passes='module(default<O1>)' %t/unknown.ll -o - 2>&1 | FileCheck %s --check-prefix=UNKNOWN
; RUN: not pycoro opt -S -passes='module(default<O1>)' %t/feature.ll -o - 2>&1 | FileCheck %s --check-prefix=FEATURE
; RUN: not pycoro opt -S -passes='module(default<O1>)' %t/riscv.ll -o - 2>&1 | FileCheck %s --check-prefix=RISCV
; RUN: pycoro opt -S -passes='module(default<O1>)' %t/fine.ll -o - | FileCheck %s --check-prefix=FINE
; RUN: pycoro opt -S -passes='coro-early' %t/cpu.ll -o - | FileCheck %s --check-prefix=OURS

; CPU: for target-cpu "i386"
; CPU-SAME: 64-bit code requested
; CPU: @f
; CPU: a processor of the module's triple
; UNKNOWN: target-cpu "nonsense"
; FEATURE: features "-64bit"
; RISCV: target-cpu "sifive-e20"
; FINE: define{{.*}} i32 @f(
; FINE: define{{.*}} i32 @g(
; OURS: define i32 @f(

;--- cpu.ll
target triple = "x86_64-unknown-linux-gnu"
define i32 @f(i32 %x) "target-cpu"="i386" {
  %y = add i32 %x, 1
  ret i32 %y
}
;--- unknown.ll
target triple = "x86_64-unknown-linux-gnu"
define i32 @f(i32 %x) "target-cpu"="nonsense" {
  %y = add i32 %x, 1
  ret i32 %y
}
;--- feature.ll
target triple = "x86_64-unknown-linux-gnu"
define i32 @f(i32 %x) "target-features"="-64bit" {
  %y = add i32 %x, 1
  ret i32 %y
}
;--- riscv.ll
target triple = "riscv64-unknown-linux-gnu"
define i32 @f(i32 %x) "target-cpu"="sifive-e20" {
  %y = add i32 %x, 1
  ret i32 %y
}
;--- fine.ll
target triple = "x86_64-unknown-linux-gnu"
define i32 @f(i32 %x) "target-cpu"="znver4" "tune-cpu"="znver4" {
  %y = add i32 %x, 1
  ret i32 %y
}
define i32 @g(i32 %x) "target-cpu"="x86-64" "target-features"="+cx8,+mmx,+sse,+sse2" "tune-cpu"="generic" {
  %y = add i32 %x, 1
  ret i32 %y
}
