; Where the code generator can jump to the next coroutine it has to; where it cannot, it is not made to.
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/x86_64-unknown-linux-gnu/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s --check-prefix=JUMP < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/armv7-unknown-linux-gnueabihf/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s --check-prefix=JUMP < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/thumbv7m-none-eabi/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s --check-prefix=JUMP < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/riscv64-unknown-linux-gnu/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s --check-prefix=JUMP < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/TRIPLE/wasm32-unknown-unknown/' -e 's/FEATURES/"target-features"="+simd128,+tail-call"/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s --check-prefix=JUMP < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/wasm32-unknown-unknown/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s --check-prefix=CALL < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/thumbv6m-none-eabi/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s --check-prefix=CALL < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/mips-unknown-linux-gnu/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s --check-prefix=CALL < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/mips64-unknown-linux-gnu/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s --check-prefix=CALL < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/powerpc64le-unknown-linux-gnu/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o %t.ll
; RUN: FileCheck %s --check-prefix=CALL < %t.ll
; RUN: llc-22 %t.ll -filetype=null

; JUMP-LABEL: define internal fastcc void @f.resume(
; JUMP: %[[NEXT:.*]] = call ptr @hand.over(
; JUMP: musttail call fastcc void %{{.*}}(ptr %[[NEXT]])
; JUMP-NEXT: ret void
; CALL-LABEL: define internal fastcc void @f.resume(
; CALL: %[[NEXT:.*]] = call ptr @hand.over(
; CALL-NOT: musttail
; CALL: call fastcc void %{{.*}}(ptr %[[NEXT]])
; CALL-NEXT: ret void

target triple = "TRIPLE"

define ptr @f(ptr %memory, ptr %awaiter) presplitcoroutine FEATURES {
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %first = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %first, label %suspend [
    i8 0, label %transfer
    i8 1, label %suspend
  ]

transfer:
  %save = call token @llvm.coro.save(ptr %handle)
  call void @llvm.coro.await.suspend.handle(ptr %awaiter, ptr %handle, ptr @hand.over)
  %second = call i8 @llvm.coro.suspend(token %save, i1 false)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

declare ptr @hand.over(ptr, ptr)

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare token @llvm.coro.save(ptr)
declare void @llvm.coro.await.suspend.handle(ptr, ptr, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
