; A value of as many elements as LLVM's passes never end on is refused before they run, wherever it is; memory may be as
; large. pycoro's own passes take it.
; UNSUPPORTED: reference
; RUN: split-file %s %t
; RUN: not pycoro opt %t/stored.ll -passes='sroa' -S 2>&1 | FileCheck %s --check-prefix=STORED
; RUN: not pycoro opt %t/returned.ll -passes='deadargelim' -S 2>&1 | FileCheck %s --check-prefix=RETURNED
; RUN: not pycoro opt %t/empty.ll -passes='coro-early,cgscc(coro-split),sroa' -S 2>&1 | FileCheck %s --check-prefix=EMPTY
; RUN: not pycoro opt %t/many.ll -passes='sroa' -S 2>&1 | FileCheck %s --check-prefix=MANY
; RUN: pycoro opt %t/memory.ll -passes='sroa' -S | FileCheck %s --check-prefix=MEMORY
; RUN: pycoro opt %t/stored.ll -passes='coro-early,cgscc(coro-split),coro-cleanup' -S | FileCheck %s --check-prefix=OURS

; STORED: error: LLVM's passes take values apart, and one of [1000000000000 x i8] has more than 4096 elements
; STORED-NEXT: @f, %0: store
; STORED-NEXT: help: keep it in memory: copy it by llvm.memcpy, and load what is used of it
; RETURNED: LLVM's passes take values apart, and one of [4611686018427387904 x i64] has more
; EMPTY: one of [1000000000000 x {}] has more
; MANY: one of [65 x { [64 x i8] }] has more
; MEMORY: alloca [1000000000000 x i8]
; OURS: store [1000000000000 x i8] undef

;--- stored.ll
declare void @use(ptr)
define void @f() {
  %a = alloca [1000000000000 x i8]
  store [1000000000000 x i8] undef, ptr %a
  call void @use(ptr %a)
  ret void
}

;--- returned.ll
declare [4611686018427387904 x i64] @f()

;--- empty.ll
define void @f(ptr %p) {
  %v = load [1000000000000 x {}], ptr %p
  ret void
}

;--- many.ll
define void @fits(ptr %p) {
  %v = load [64 x { [64 x i8] }], ptr %p
  ret void
}
define void @f(ptr %p) {
  %v = load [65 x { [64 x i8] }], ptr %p
  ret void
}

;--- memory.ll
@g = global [1000000000000 x i8] zeroinitializer
declare void @use(ptr)
define void @f() {
  %a = alloca [1000000000000 x i8]
  call void @use(ptr %a)
  call void @use(ptr getelementptr ([1000000000000 x i8], ptr @g, i64 0, i64 3))
  ret void
}
