; A value used twice in a chain is rematerialized once, and the frame has no address of an alloca outside the frame: the
; resume function has a separate alloca, and the comparison would see two addresses.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S -o - | FileCheck %s

; CHECK-LABEL: define ptr @f()
; CHECK-NOT: store ptr %chosen
; CHECK-LABEL: define internal fastcc void @f.resume(
; CHECK: [[PART:%.+]] = getelementptr inbounds [3 x i16], ptr %x, i32 0, i32 2
; CHECK: [[CHOSEN:%.+]] = select i1 true, ptr [[PART]], ptr [[PART]]
; CHECK: %same = icmp eq ptr [[PART]], [[CHOSEN]]

define ptr @f() presplitcoroutine {
entry:
  %x = alloca [3 x i16]
  store [3 x i16] zeroinitializer, ptr %x
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %part = getelementptr inbounds [3 x i16], ptr %x, i32 0, i32 2
  store i16 5, ptr %part
  %chosen = select i1 true, ptr %part, ptr %part
  %same = icmp eq ptr %part, %chosen
  %read = load i16, ptr %chosen
  store i16 %read, ptr %chosen
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [ i8 0, label %on i8 1, label %end ]
on:
  call void @report_i16(i16 %read)
  call void @report_i1(i1 %same)
  br label %end
end:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @malloc(i64)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare void @report_i16(i16)
declare void @report_i1(i1)
