; Remaining intrinsics of a split ramp, also if inlined, become plain code; the branch on coro.alloc is folded.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes=coro-cleanup %s -o - | FileCheck %s --implicit-check-not=llvm.coro
; RUN: pycoro opt -S -passes=coro-cleanup %s -o - | llc-22 -filetype=null

; CHECK-LABEL: define ptr @ramp(i1 %c)
; CHECK-NEXT: entry:
; CHECK-NEXT: br label %alloc
; CHECK: alloc:
; CHECK-NEXT: %mem = call ptr @malloc(i64 32)
; CHECK-NEXT: br label %begin
; CHECK-NOT: %given
; CHECK: begin:
; CHECK-NEXT: store ptr null, ptr %mem
; CHECK-NEXT: call void @free(ptr %mem)
; CHECK: join:
; CHECK-NEXT: %which = phi i32 [ 1, %begin ], [ 2, %other ]
; CHECK-NEXT: %back = phi ptr [ %mem, %begin ], [ %mem, %other ]
define ptr @ramp(i1 %c) {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr @ramp, ptr @parts)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %alloc, label %given
alloc:
  %mem = call ptr @malloc(i64 32)
  br label %begin
given:
  switch i1 %c, label %begin [i1 true, label %join]
begin:
  %phi = phi ptr [ %mem, %alloc ], [ null, %given ]
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %phi)
  store ptr null, ptr %hdl
  %free = call ptr @llvm.coro.free(token %id, ptr %hdl)
  call void @free(ptr %free)
  br i1 %c, label %join, label %other
other:
  br label %join
join:
  %which = phi i32 [ 0, %given ], [ 1, %begin ], [ 2, %other ]
  %back = phi ptr [ null, %given ], [ %hdl, %begin ], [ %hdl, %other ]
  call void @use(i32 %which)
  ret ptr %back
}

; CHECK-LABEL: define void @parts_of(ptr %hdl)
; CHECK: [[SLOT0:%.*]] = getelementptr {{.*}}{ ptr, ptr }, ptr %hdl, i32 0, i32 0
; CHECK-NEXT: [[RESUME:%.*]] = load ptr, ptr [[SLOT0]]
; CHECK-NEXT: call fastcc void [[RESUME]](ptr %hdl)
; CHECK-NEXT: [[SLOT1:%.*]] = getelementptr {{.*}}{ ptr, ptr }, ptr %hdl, i32 0, i32 1
; CHECK-NEXT: [[DESTROY:%.*]] = load ptr, ptr [[SLOT1]]
; CHECK-NEXT: call fastcc void [[DESTROY]](ptr %hdl)
define void @parts_of(ptr %hdl) {
  %resume = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 0)
  call fastcc void %resume(ptr %hdl)
  %destroy = call ptr @llvm.coro.subfn.addr(ptr %hdl, i8 1)
  call fastcc void %destroy(ptr %hdl)
  ret void
}

; CHECK-NOT: @uncallable
define internal void @uncallable() {
  %size = call i64 @llvm.coro.size.i64()
  ret void
}

@parts = private constant [3 x ptr] [ptr @part, ptr @part, ptr @part]
declare void @part(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @use(i32)
declare i64 @llvm.coro.size.i64()
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare ptr @llvm.coro.begin(token, ptr)
declare ptr @llvm.coro.free(token, ptr)
declare ptr @llvm.coro.subfn.addr(ptr, i8)
