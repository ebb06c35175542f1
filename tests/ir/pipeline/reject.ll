; A pass string that does not parse gives exit status 2 and the position; no output is written.
; UNSUPPORTED: reference
; RUN: not pycoro opt -S -passes='foo' %s -o - 2>&1 | FileCheck %s --check-prefix=UNKNOWN
; RUN: not pycoro opt -S -passes='coro-early,function(instcombine,foo)' %s -o - 2>&1 | FileCheck %s --check-prefix=INNER
; RUN: not pycoro opt -S -passes='coro-split<x>' %s -o - 2>&1 | FileCheck %s --check-prefix=PARAMETER
; RUN: not pycoro opt -S -passes='function(coro-early)' %s -o - 2>&1 | FileCheck %s --check-prefix=LEVEL
; RUN: not pycoro opt -S -passes='module(coro-early' %s -o - 2>&1 | FileCheck %s --check-prefix=OPEN
; RUN: not pycoro opt -S -passes='coro-early)' %s -o - 2>&1 | FileCheck %s --check-prefix=CLOSE
; RUN: not pycoro opt -S -passes='coro-early,' %s -o - 2>&1 | FileCheck %s --check-prefix=EMPTY
; RUN: not pycoro opt -S -passes='loop(coro-elide)' %s -o - 2>&1 | FileCheck %s --check-prefix=LOOP
; RUN: not pycoro opt -S -passes='msan' %s -o - 2>&1 | FileCheck %s --check-prefix=MACHINE
; RUN: not pycoro opt -S -passes='function(function-simplification<O2>)' %s -o - 2>&1 | FileCheck %s --check-prefix=ALIAS

; RUN: not pycoro opt -S -passes='coro-early,coro-slpit' %s -o - 2>&1 | FileCheck %s --check-prefix=NEAREST

; NEAREST: 'coro-slpit'
; NEAREST: did you mean coro-split?
; UNKNOWN-NOT: define
; UNKNOWN: 'foo'
; UNKNOWN-SAME: character 1 of
; INNER: 'foo'
; INNER-SAME: character 33 of
; PARAMETER: invalid coro-split pass parameter 'x'
; LEVEL: 'coro-early' is a module pass and cannot be used in a function pipeline
; LEVEL-SAME: character 10 of
; OPEN: 'module' is not closed
; CLOSE: character 11 of
; EMPTY: character 12 of
; LOOP: 'loop(...)' cannot hold
; MACHINE: terminates the process in 'msan'
; MACHINE: the triple of a target
; ALIAS-NOT: define
; ALIAS: @f
; ALIAS: coro-early,coro-split,coro-cleanup

define i1 @f(ptr %hdl) {
  %done = call i1 @llvm.coro.done(ptr %hdl)
  ret i1 %done
}
declare i1 @llvm.coro.done(ptr)
