; In a CGSCC pipeline a coroutine is split before its callers are processed: its ramp is inlined into an unsplit caller,
; and its frame is elided there. The shields that exclude functions from LLVM's passes are removed afterwards, also on
; noinline functions.
; RUN: pycoro opt -S -passes='coro-early,cgscc(inline,function(coro-elide,simplifycfg),coro-split),coro-cleanup,globaldce' %s -o - | FileCheck %s
; RUN: pycoro opt -S -passes='coro-early,cgscc(devirt<4>(inline,function(coro-elide,simplifycfg),coro-split)),coro-cleanup,globaldce' %s -o - | FileCheck %s
; RUN: pycoro opt -S -passes='coro-early,cgscc(inline,function(coro-elide,simplifycfg),coro-split),coro-cleanup,globaldce' %s -o - | FileCheck --check-prefix=SHIELD %s

; What keeps LLVM's passes from a function that is not in turn is gone behind them, noinline or not.
; SHIELD: define void @apart(
; SHIELD-NOT: optnone

; CHECK-NOT: define{{.*}} @child(
; CHECK-NOT: define{{.*}} @parent(
; CHECK: define ptr @grandparent(
; CHECK: call ptr @malloc(i64
; CHECK-NOT: call ptr @malloc(
; CHECK: define internal fastcc void @parent.resume(
; CHECK-NOT: call ptr @malloc(

define internal ptr @child(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %block = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %frame = call ptr @llvm.coro.begin(token %id, ptr %block)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [i8 0, label %resume
                            i8 1, label %destroy]
resume:
  call void @print(i32 %n)
  br label %destroy
destroy:
  %dead = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %dead)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define internal ptr @parent(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %block = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %frame = call ptr @llvm.coro.begin(token %id, ptr %block)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [i8 0, label %resume
                            i8 1, label %destroy]
resume:
  %inner = call ptr @child(i32 %n)
  call void @llvm.coro.resume(ptr %inner)
  call void @llvm.coro.destroy(ptr %inner)
  br label %destroy
destroy:
  %dead = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %dead)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

define void @apart(i32 %n) noinline {
  call void @print(i32 %n)
  ret void
}

define ptr @grandparent(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %allocate, label %begin
allocate:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  br label %begin
begin:
  %block = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %frame = call ptr @llvm.coro.begin(token %id, ptr %block)
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %out [i8 0, label %resume
                            i8 1, label %destroy]
resume:
  %inner = call ptr @parent(i32 %n)
  call void @llvm.coro.destroy(ptr %inner)
  br label %destroy
destroy:
  %dead = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %dead)
  br label %out
out:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
