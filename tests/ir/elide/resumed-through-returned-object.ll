; A ramp that returns its owner through memory gets its frame before it is inlined. Only then the resumed and destroyed
; coroutine is known. The frame's alloca names the functions of its header until coro-cleanup.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-elide' %s -o - | FileCheck %s --check-prefix=ELIDED
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-elide,cgscc(inline),function(sroa,coro-elide),coro-cleanup' %s -o - | FileCheck %s
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-elide,cgscc(inline),function(sroa,coro-elide),coro-cleanup' %s -o %t.ll
; RUN: lli-22 %t.ll
; RUN: pycoro opt -S -passes='default<O2>' %s -o - | FileCheck %s --check-prefix=LEVEL

; ELIDED-LABEL: define i32 @main()
; ELIDED: alloca [{{[0-9]+}} x i8], align 8, !coro.elided ![[#PARTS:]]
; ELIDED: ![[#PARTS]] = !{ptr @f.resume, ptr @f.cleanup}

; CHECK-NOT: coro.elided
; CHECK-LABEL: define i32 @main()
; CHECK: call fastcc void @f.resume(ptr %f.frame)
; CHECK: call fastcc void @f.resume(ptr %f.frame)
; CHECK: call fastcc void @f.cleanup(ptr %f.frame)
; CHECK: ret i32
; CHECK-NOT: coro.elided

; LEVEL-LABEL: define {{.*}}i32 @main()
; LEVEL-NOT: call
; LEVEL: ret i32 0
; LEVEL-NOT: coro.elided

define internal void @f(ptr sret({ ptr, i64 }) %owner, i32 %n) presplitcoroutine {
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
  %memory = phi ptr [ null, %entry ], [ %fresh, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  store ptr %handle, ptr %owner
  %tag = getelementptr i8, ptr %owner, i64 8
  store i64 1, ptr %tag
  br label %loop
loop:
  %i = phi i32 [ 0, %begin ], [ %next, %loop ]
  store i32 %i, ptr %promise
  %next = add i32 %i, %n
  %s = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %s, label %end [i8 0, label %loop
                            i8 1, label %cleanup]
cleanup:
  %old = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %old)
  br label %end
end:
  call void @llvm.coro.end(ptr null, i1 false, token none)
  ret void
}

define i32 @main() {
  %owner = alloca { ptr, i64 }
  call void @f(ptr sret({ ptr, i64 }) %owner, i32 21)
  %handle = load ptr, ptr %owner
  call void @llvm.coro.resume(ptr %handle)
  %again = load ptr, ptr %owner
  call void @llvm.coro.resume(ptr %again)
  %promise = call ptr @llvm.coro.promise(ptr %again, i32 4, i1 false)
  %value = load i32, ptr %promise
  %last = load ptr, ptr %owner
  call void @llvm.coro.destroy(ptr %last)
  %wrong = sub i32 %value, 42
  ret i32 %wrong
}

declare noalias ptr @malloc(i64) nounwind
declare void @free(ptr) nounwind
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
