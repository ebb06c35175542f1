; A generator lets others know of itself where its caller says so, which this one does not, and the loop that drives it has
; no branch of the coroutine left in it: two loops, one in the other. It is not held against the caller that the ramp by
; itself may let others know.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='default<O2>' %s | FileCheck %s

; CHECK-LABEL: define {{.*}}i32 @drive(
; CHECK-NOT: {{call.*@malloc|switch|alloca}}
; CHECK: br i1
; CHECK-NOT: {{call.*@malloc|switch|alloca}}
; CHECK: br i1
; CHECK-NOT: br i1
; CHECK: ret i32

target triple = "x86_64-unknown-linux-gnu"
define ptr @g(i32 %n, i1 %reg) presplitcoroutine {
entry:
  %promise = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %fresh = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %mem = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)
  br i1 %reg, label %r, label %go
r:
  call void @register(ptr %hdl)
  br label %go
go:
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [i8 0, label %a
                            i8 1, label %destroy]
a:
  br label %loop
loop:
  %i = phi i32 [0, %a], [%i2, %odd]
  br label %inner
inner:
  %j = phi i32 [0, %loop], [%j2, %innext]
  %ij = add i32 %i, %j
  store i32 %ij, ptr %promise
  %s1 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s1, label %end [i8 0, label %innext
                            i8 1, label %destroy]
innext:
  %j2 = add i32 %j, 1
  %cj = icmp slt i32 %j2, %i
  br i1 %cj, label %inner, label %y0
y0:
  %v0 = mul i32 %i, 3
  store i32 %v0, ptr %promise
  %t0 = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %t0, label %end [i8 0, label %odd
                            i8 1, label %destroy]
odd:
  %i2 = add i32 %i, 1
  %c = icmp slt i32 %i2, %n
  br i1 %c, label %loop, label %fin
fin:
  %s2 = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %s2, label %end [i8 0, label %bad
                            i8 1, label %destroy]
bad:
  unreachable
destroy:
  %old = call ptr @llvm.coro.free(token %id, ptr %hdl)
  %heap = icmp ne ptr %old, null
  br i1 %heap, label %release, label %end
release:
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr %hdl
}
define i32 @drive(i32 %n) {
entry:
  %h0 = call ptr @g(i32 %n, i1 false)
  br label %head
head:
  %sum = phi i32 [0, %entry], [%sumx, %body]
  call void @llvm.coro.resume(ptr %h0)
  %d = call i1 @llvm.coro.done(ptr %h0)
  br i1 %d, label %out, label %body
body:
  %p0 = call ptr @llvm.coro.promise(ptr %h0, i32 4, i1 false)
  %w0 = load i32, ptr %p0
  %q0 = add i32 %sum, %w0
  %sumx = xor i32 %q0, 5
  br label %head
out:
  call void @llvm.coro.destroy(ptr %h0)
  ret i32 %sum
}
declare void @register(ptr)
declare i1 @llvm.coro.done(ptr)
declare noalias ptr @malloc(i64) nounwind willreturn allockind("alloc,uninitialized") allocsize(0) "alloc-family"="malloc"
declare void @free(ptr) nounwind willreturn allockind("free") "alloc-family"="malloc"
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare ptr @llvm.coro.promise(ptr, i32, i1)
