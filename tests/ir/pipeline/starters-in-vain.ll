; Creation sites pass through a few passes and coro-elide before the rest, unless that had no effect before: in @outer,
; which returns the handle of @inner, it has none, so @main is skipped. If @outer destroys @inner, it is not.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -disable-output --json -passes='default<O2>' | FileCheck %s
; RUN: sed 's/call void @keep(ptr %%child)/call void @llvm.coro.destroy(ptr %%child)/' %s > %t.ll
; RUN: pycoro opt %t.ll -disable-output --json -passes='default<O2>' | FileCheck %s --check-prefix=AGAIN

; CHECK: "name": "module(require<profile-summary>,cgscc(inline
; CHECK-NOT: "name": "module(require<profile-summary>,cgscc(inline

; AGAIN: "name": "module(require<profile-summary>,cgscc(inline
; AGAIN: "name": "coro-elide"
; AGAIN: "name": "module(require<profile-summary>,cgscc(inline

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.destroy(ptr)
declare noalias ptr @malloc(i64)
declare void @free(ptr)
declare void @keep(ptr)
declare void @show(i32) nounwind

define internal ptr @inner(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %needed = call i1 @llvm.coro.alloc(token %id)
  br i1 %needed, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %where = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %where)
  %state = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %state, label %leave [ i8 0, label %next
                                   i8 1, label %end ]
next:
  call void @show(i32 %n)
  br label %end
end:
  %frame = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %frame)
  br label %leave
leave:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define internal ptr @outer(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %needed = call i1 @llvm.coro.alloc(token %id)
  br i1 %needed, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %where = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %where)
  %child = call ptr @inner(i32 %n)
  call void @keep(ptr %child)
  %state = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %state, label %leave [ i8 0, label %next
                                   i8 1, label %end ]
next:
  call void @show(i32 %n)
  br label %end
end:
  %frame = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %frame)
  br label %leave
leave:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}

define void @main(i32 %n) {
  %handle = call ptr @outer(i32 %n)
  call void @keep(ptr %handle)
  ret void
}
