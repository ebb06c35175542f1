; Some of LLVM's passes look at each element of an aggregate value. Before those alone, values of so many elements that they
; take minutes or never end are rejected, where that pass takes them apart; memory may be as large.
; UNSUPPORTED: reference
; RUN: split-file %s %t
; RUN: not pycoro opt %t/stored.ll -passes='sroa' -S 2>&1 | FileCheck %s --check-prefix=STORED
; RUN: not pycoro opt %t/stored.ll -passes='default<O2>' -S 2>&1 | FileCheck %s --check-prefix=STORED
; RUN: not pycoro opt %t/stored.ll -passes='dce,sroa' -S 2>&1 | FileCheck %s --check-prefix=STORED
; RUN: pycoro opt %t/stored.ll -passes='dce,gvn,deadargelim' -disable-output
; RUN: pycoro opt %t/stored.ll -passes='coro-early,cgscc(coro-split),coro-cleanup' -S | FileCheck %s --check-prefix=OURS
; RUN: not pycoro opt %t/returned.ll -passes='deadargelim' -S 2>&1 | FileCheck %s --check-prefix=RETURNED
; RUN: pycoro opt %t/returned.ll -passes='dce,sroa' -disable-output
; RUN: not pycoro opt %t/folded.ll -passes='instcombine' -S 2>&1 | FileCheck %s --check-prefix=FOLDED
; RUN: pycoro opt %t/folded.ll -passes='dce' -disable-output
; RUN: not pycoro opt %t/called.ll -passes='sroa' -S 2>&1 | FileCheck %s --check-prefix=CALLED
; RUN: not pycoro opt %t/coroutine.ll -passes='sroa' -S 2>&1 | FileCheck %s --check-prefix=COROUTINE
; RUN: not pycoro opt %t/empty.ll -passes='coro-early,cgscc(coro-split),sroa' -S 2>&1 | FileCheck %s --check-prefix=EMPTY
; RUN: not pycoro opt %t/many.ll -passes='sroa' -S 2>&1 | FileCheck %s --check-prefix=MANY
; RUN: not pycoro opt %t/shadow.ll -passes='dfsan' -S 2>&1 | FileCheck %s --check-prefix=SHADOW
; RUN: pycoro opt %t/shadow.ll -passes='sroa,instcombine' -disable-output
; RUN: pycoro opt %t/elsewhere.ll -passes='sroa' -disable-output
; RUN: pycoro opt %t/elsewhere.ll -passes='default<O2>' -disable-output
; RUN: pycoro opt %t/elsewhere.ll -passes='default<O3>' -disable-output
; RUN: pycoro opt %t/stored.ll -passes='default<O0>' -disable-output
; RUN: pycoro opt %t/coroutine.ll -passes='default<O0>' -disable-output
; RUN: pycoro opt %t/memory.ll -passes='sroa' -S | FileCheck %s --check-prefix=MEMORY

; STORED: error: LLVM's passes process each element of a value, and one of type [1000000000000 x i8] has more than 4096 elements
; STORED-NEXT: @f, %0: store
; STORED-NEXT: help: keep it in memory: copy it by llvm.memcpy, and load only the elements that are used
; OURS: store [1000000000000 x i8] undef
; RETURNED: one of type [4611686018427387904 x i64] has more than 65536 elements
; FOLDED: one of type [1000000000000 x i8] has more than 65536 elements
; FOLDED-NEXT: @f, %0: %v = insertvalue
; CALLED: @f, %0: store
; COROUTINE: one of type [5000 x i8] has more than 4096 elements
; SHADOW: @f, %0: %v = load [1000000000000 x i8]
; EMPTY: one of type [1000000000000 x {}] has more
; MANY: one of type [65 x { [64 x i8] }] has more
; MEMORY: alloca [1000000000000 x i8]

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

;--- folded.ll
define void @f(ptr %p) {
  %v = insertvalue [1000000000000 x i8] zeroinitializer, i8 1, 3
  store [1000000000000 x i8] %v, ptr %p
  ret void
}

;--- called.ll
define void @f(ptr %p) {
  store [5000 x i8] zeroinitializer, ptr %p
  ret void
}
define void @g() {
  %a = alloca [5000 x i8]
  call void @f(ptr %a)
  ret void
}

;--- coroutine.ll
define ptr @f(ptr %p, ptr %mem) presplitcoroutine {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %v = load [5000 x i8], ptr %p
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [ i8 0, label %again ]
again:
  store [5000 x i8] %v, ptr @g
  br label %out
out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
@g = global [5000 x i8] zeroinitializer

;--- empty.ll
define void @f() {
  %p = alloca [1000000000000 x {}]
  %v = load [1000000000000 x {}], ptr %p
  ret void
}

;--- many.ll
define void @fits() {
  %p = alloca [65 x { [64 x i8] }]
  %v = load [64 x { [64 x i8] }], ptr %p
  ret void
}
define void @f() {
  %p = alloca [65 x { [64 x i8] }]
  %v = load [65 x { [64 x i8] }], ptr %p
  ret void
}

;--- shadow.ll
target triple = "x86_64-unknown-linux-gnu"
define void @f(ptr %p, ptr %q) {
  %v = load [1000000000000 x i8], ptr %p
  store [1000000000000 x i8] %v, ptr %q
  ret void
}

;--- elsewhere.ll
declare [5000 x i64] @never.called()
@g = global [1000000 x i8] zeroinitializer
define void @clear(ptr %p) {
  store [5000 x i8] zeroinitializer, ptr %p
  ret void
}
define void @copy(ptr %p) {
  %v = load [1000000 x i8], ptr %p
  store [1000000 x i8] %v, ptr @g
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
