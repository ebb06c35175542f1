; Pointers may have a store size larger than their bits, an alignment other than their size, and a narrower index type:
; the frame's header and alignment and llvm.ptrmask follow the data layout.
; RUN: split-file %s %t
; RUN: cat %t/narrow.txt %t/body.ll > %t/narrow.ll
; RUN: pycoro opt %t/narrow.ll -S -verify-each -o %t/out.ll -passes='coro-early,cgscc(coro-split),coro-cleanup'
; RUN: pycoro opt %t/out.ll -S -verify-each -passes=coro-cleanup | FileCheck %s --check-prefix=NARROW
; RUN: cat %t/index.txt %t/body.ll > %t/index.ll
; RUN: pycoro opt %t/index.ll -S -verify-each -o %t/out.ll -passes='coro-early,cgscc(coro-split),coro-cleanup'
; RUN: pycoro opt %t/out.ll -S -verify-each -passes=coro-cleanup | FileCheck %s --check-prefix=INDEX
; RUN: cat %t/avr.txt %t/body.ll > %t/avr.ll
; RUN: pycoro opt %t/avr.ll -S -verify-each -o %t/out.ll -passes='coro-early,cgscc(coro-split),coro-cleanup'
; RUN: pycoro opt %t/out.ll -S -verify-each -passes=coro-cleanup | FileCheck %s --check-prefix=AVR
; RUN: cat %t/code.txt %t/body.ll > %t/code.ll
; RUN: not pycoro opt %t/code.ll -S -passes='coro-early,cgscc(coro-split),coro-cleanup' 2>&1 | FileCheck %s --check-prefix=CODE
; UNSUPPORTED: reference

; Both the resume slot and the destroy slot take four bytes: coro.destroy looks behind the first one.
; NARROW: %destroy.addr = getelementptr inbounds i8, ptr %memory, i64 4
; NARROW-LABEL: define void @end(
; NARROW: getelementptr inbounds nuw { ptr, ptr }, ptr %handle, i32 0, i32 1
; NARROW: define internal fastcc void @f.resume(ptr noundef nonnull align 8 dereferenceable(
; INDEX: call ptr @llvm.ptrmask.p0.i32(ptr %{{.*}}, i32 -64)
; AVR: define internal fastcc void @f.resume(ptr noundef nonnull align 4 dereferenceable(
; CODE: code addresses differ in size

;--- narrow.txt
target datalayout = "e-p:24:32"
;--- index.txt
target datalayout = "e-p:64:64:64:32"
;--- avr.txt
target datalayout = "e-p:16:8-i16:8-i32:8"
;--- code.txt
target datalayout = "e-p:64:64-P1-p1:32:32"
;--- body.ll
define ptr @f(i16 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %memory = call ptr @malloc(i64 64)
  %a = alloca i32, align 64
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  call void @use(ptr %a)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [
    i8 0, label %resumed
    i8 1, label %out
  ]
resumed:
  call void @use(ptr %a)
  br label %out
out:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %handle
}
define void @end(ptr %handle) {
  call void @llvm.coro.destroy(ptr %handle)
  ret void
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.destroy(ptr)
declare ptr @malloc(i64)
declare void @use(ptr)
