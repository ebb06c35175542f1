; Swift's calling convention swiftcorocc lets a callee return without popping its stack, for a caller that passes a null
; allocator. LLVM 22 cannot, so such memory comes from malloc; the allocator's own case for null traps.
; UNSUPPORTED: reference
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %s | FileCheck %s
; RUN: pycoro upgrade %s 2>&1 -o %t.ll | FileCheck %s --check-prefix=REMARK
; RUN: pycoro opt -S -passes='default<O2>' %t.ll -o - | FileCheck %s --check-prefix=O2

; REMARK-DAG: remark[swiftcorocc] in @f: swiftcorocc becomes swiftcc
; REMARK-DAG: remark[swiftcoro]: {{[0-9]+}} swiftcoro attributes removed
; REMARK-DAG: remark[ret-popless] in @allocate: llvm.ret.popless becomes a trap

; CHECK-LABEL: define swiftcc ptr @allocate(
; CHECK: call void @llvm.trap()
; CHECK-LABEL: define swiftcc { ptr, ptr } @f(
; CHECK: call ptr @f.allocate(ptr %frame, ptr %allocator, i64 %size)
; CHECK-LABEL: define internal swiftcc void @f.resume.0(
; CHECK: call void @f.deallocate(ptr %buffer, ptr %{{.*}}, ptr %{{.*}})
; CHECK-LABEL: define internal {{.*}}void @f.deallocate(
; CHECK: call void @free(ptr %2)
; CHECK: call void @deallocate(ptr %0, ptr %1, ptr %2)
; CHECK-LABEL: define internal ptr @f.allocate(ptr %0, ptr %1, i64 %2)
; CHECK: br i1 %{{.*}}, label %no.allocator, label %given
; CHECK: call ptr @malloc(i64 %2)
; CHECK: call swiftcc ptr @allocate(ptr %0, ptr %1, i64 %2)

; O2: call {{.*}}@malloc(

@f.cfp = global <{ i32, i32 }> <{ i32 trunc (i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr @f.cfp to i64)) to i32), i32 0 }>

define swiftcorocc ptr @allocate(ptr %frame, ptr swiftcoro %allocator, i64 %size) {
entry:
  %none = icmp eq ptr %allocator, null
  br i1 %none, label %popless, label %normal

popless:
  %memory = alloca i8, i64 %size, align 16
  musttail call void @llvm.ret.popless()
  ret ptr %memory

normal:
  %function = load ptr, ptr %allocator
  %result = call swiftcc ptr %function(ptr %frame, ptr swiftcoro %allocator, i64 %size)
  ret ptr %result
}

define swiftcorocc { ptr, ptr } @f(ptr noalias %frame, ptr swiftcoro %allocator, i64 %size) {
entry:
  %id = call token @llvm.coro.id.retcon.once.dynamic(i32 -1, i32 16, ptr @f.cfp, ptr %allocator, ptr %frame, ptr @prototype, ptr @allocate, ptr @deallocate)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %a = call token @llvm.coro.alloca.alloc.i64(i64 %size, i32 8)
  %memory = call ptr @llvm.coro.alloca.get(token %a)
  call void @use(ptr %memory)
  %again = call ptr (...) @llvm.coro.suspend.retcon.p0(ptr %memory)
  call void @use(ptr %memory)
  call void @llvm.coro.alloca.free(token %a)
  %0 = call i1 @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

declare swiftcorocc void @prototype(ptr noalias, ptr swiftcoro)
declare void @deallocate(ptr, ptr swiftcoro, ptr)
declare void @use(ptr)
declare void @llvm.ret.popless()
declare token @llvm.coro.id.retcon.once.dynamic(i32, i32, ptr, ptr, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i1 @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.suspend.retcon.p0(...)
declare token @llvm.coro.alloca.alloc.i64(i64, i32)
declare ptr @llvm.coro.alloca.get(token)
declare void @llvm.coro.alloca.free(token)
