; Two children exist one after the other. Markers delimit the lifetimes of their elided frames, so that in the parent's frame
; they share 24 bytes, after its own 16. Without reuse-storage each has its own.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split),cgscc(inline),function(coro-elide),coro-cleanup' | FileCheck %s
; RUN: pycoro opt -S -passes='coro-early,cgscc(inline,function(coro-elide),coro-split<reuse-storage>),coro-cleanup' %s -verify-each -o %t.ll
; RUN: FileCheck %s --check-prefix=SHARED < %t.ll
; RUN: lli-22 %t.ll | FileCheck %s --check-prefix=OUT

; CHECK-LABEL: define void @in_a_function(
; CHECK: call void @llvm.lifetime.start.p0(ptr %[[FIRST:child.frame.*]])
; CHECK: call fastcc void @child.cleanup(ptr %[[FIRST]])
; CHECK-NEXT: call void @llvm.lifetime.end.p0(ptr %[[FIRST]])
; CHECK: call void @llvm.lifetime.start.p0(ptr %[[SECOND:child.frame.*]])
; CHECK: invoke fastcc void @child.cleanup(ptr %[[SECOND]])
; CHECK-NEXT: to label %done
; CHECK: done:
; CHECK-NEXT: call void @llvm.lifetime.end.p0(ptr %[[SECOND]])

; SHARED-LABEL: define ptr @parent(
; SHARED: call ptr @malloc(i64 48)

; OUT: 3
; OUT-NEXT: 4
; OUT-NEXT: 5
; OUT-NEXT: 5

target triple = "x86_64-unknown-linux-gnu"

define internal ptr @child(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %fresh = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [i8 0, label %resume
                            i8 1, label %destroy]
resume:
  %printed = call i32 (ptr, ...) @printf(ptr @text, i32 %n)
  %f = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %f, label %end [i8 1, label %destroy]
destroy:
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

define ptr @parent(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  %first = call ptr @child(i32 %n)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [i8 0, label %resume
                            i8 1, label %destroy.first]
destroy.first:
  call void @llvm.coro.destroy(ptr %first)
  br label %destroy
resume:
  call void @llvm.coro.resume(ptr %first)
  call void @llvm.coro.destroy(ptr %first)
  %more = add i32 %n, 1
  %second = call ptr @child(i32 %more)
  %t = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t, label %end [i8 0, label %last
                            i8 1, label %destroy.second]
last:
  call void @llvm.coro.resume(ptr %second)
  br label %destroy.second
destroy.second:
  call void @llvm.coro.destroy(ptr %second)
  br label %destroy
destroy:
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret ptr %hdl
}

define void @in_a_function(i32 %n) personality ptr @__gxx_personality_v0 {
entry:
  %first = call ptr @child(i32 %n)
  call void @llvm.coro.resume(ptr %first)
  call void @llvm.coro.destroy(ptr %first)
  %second = call ptr @child(i32 5)
  call void @llvm.coro.resume(ptr %second)
  invoke void @llvm.coro.destroy(ptr %second)
      to label %done unwind label %pad
done:
  ret void
pad:
  %lp = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %lp
}

define i32 @main() {
  %h = call ptr @parent(i32 3)
  call void @llvm.coro.resume(ptr %h)
  call void @llvm.coro.resume(ptr %h)
  call void @in_a_function(i32 5)
  ret i32 0
}

@text = private constant [4 x i8] c"%d\0A\00"
declare i32 @__gxx_personality_v0(...)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
