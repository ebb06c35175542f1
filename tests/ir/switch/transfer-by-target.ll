; If the code generator supports tail calls they are used. Otherwise the resumer runs the next coroutine in a loop; the
; loop and the coroutine communicate through a thread-local variable.
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/x86_64-unknown-linux-gnu/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefix=JUMP < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/i686-unknown-linux-gnu/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefix=JUMP < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/x86_64-pc-windows-msvc/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefix=JUMP < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/i686-pc-windows-msvc/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefix=JUMP < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/aarch64-unknown-linux-gnu/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefix=JUMP < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/riscv32-unknown-linux-gnu/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefix=JUMP < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/s390x-unknown-linux-gnu/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefix=JUMP < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/sparcv9-unknown-linux-gnu/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefix=JUMP < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/loongarch64-unknown-linux-gnu/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefix=JUMP < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/armv7-unknown-linux-gnueabihf/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefix=JUMP < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/thumbv7m-none-eabi/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefix=JUMP < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/riscv64-unknown-linux-gnu/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefix=JUMP < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES/"target-features"="+simd128,+tail-call"/' -e 's/TRIPLE/wasm32-unknown-unknown/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefix=JUMP < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES/"disable-tail-calls"="false"/' -e 's/TRIPLE/x86_64-unknown-linux-gnu/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefix=JUMP < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/wasm32-unknown-unknown/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefixes=LOOP,THREAD < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/mips-unknown-linux-gnu/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefixes=LOOP,THREAD < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/mips64-unknown-linux-gnu/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefixes=LOOP,THREAD < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/powerpc64le-unknown-linux-gnu/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefixes=LOOP,THREAD < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/powerpc-unknown-linux-gnu/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefixes=LOOP,THREAD < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/powerpc64-ibm-aix/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefixes=LOOP,THREAD < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/powerpc-ibm-aix/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefixes=LOOP,THREAD < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/hexagon-unknown-linux-musl/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefixes=LOOP,THREAD < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/thumbv6-none-linux-gnueabi/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefixes=LOOP,THREAD < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES/"disable-tail-calls"="true"/' -e 's/TRIPLE/x86_64-unknown-linux-gnu/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefixes=LOOP,THREAD < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/thumbv6m-none-eabi/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefixes=LOOP,GLOBAL < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/avr/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefixes=LOOP,GLOBAL < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/msp430/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefixes=LOOP,GLOBAL < %t.ll
; RUN: llc-22 %t.ll -filetype=null
; Many threads share all variables there, or the code generator knows no others.
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/nvptx64-nvidia-cuda/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefix=CALL < %t.ll
; RUN: sed -e 's/FEATURES//' -e 's/TRIPLE/bpfel/' %s | pycoro opt -passes='coro-early,cgscc(coro-split),coro-cleanup' -verify-each -S -o %t.ll
; RUN: FileCheck %s --check-prefix=CALL < %t.ll

; JUMP-LABEL: define internal fastcc void @f.resume(
; JUMP: %[[NEXT:.*]] = call ptr @hand.over(
; JUMP: musttail call fastcc void %{{.*}}(ptr %[[NEXT]])
; JUMP-NEXT: ret void
; THREAD: @pycoro.transfer = linkonce_odr hidden thread_local global { ptr, ptr, ptr{{.*}} } zeroinitializer
; GLOBAL: @pycoro.transfer = linkonce_odr hidden global { ptr, ptr, ptr{{.*}} } zeroinitializer
; LOOP-LABEL: define internal fastcc void @f.resume(
; LOOP: %next.address = call {{.*}}ptr @f.driver(ptr %handle)
; LOOP: %[[NEXT:.*]] = call {{.*}}ptr @hand.over(
; LOOP-NEXT: call {{.*}}void @f.transfer(ptr %[[NEXT]], ptr %next.address)
; LOOP-NEXT: ret void
; LOOP: define internal ptr @f.driver(ptr %frame)
; THREAD: call ptr @llvm.threadlocal.address.p0(ptr @pycoro.transfer)
; LOOP: icmp eq ptr{{.*}} %{{.*}}, @f.resume
; LOOP: define internal void @f.transfer(ptr %next, ptr %next.address)
; LOOP: call fastcc {{.*}}void %{{.*}}(ptr %{{.*}})

; CALL-NOT: @pycoro.transfer
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
