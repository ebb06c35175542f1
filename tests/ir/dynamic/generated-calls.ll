; The lowering calls the functions of a dynamic id with the frame, the allocator and then the size or the memory, so their
; parameters must be pointers of these address spaces, and the calls must be possible. The result of the suspend has any type if
; nothing uses it. Frame and allocator are memory that coroutine, continuation and caller share.
; UNSUPPORTED: reference
; RUN: sed 's/ALLOCATES/ptr @allocate(ptr, ptr, i32)/; s/FREES/void @deallocate(ptr, ptr, ptr)/' %s > %t.ll
; RUN: pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %t.ll | FileCheck %s
; RUN: sed 's/ALLOCATES/ptr @allocate(ptr addrspace(1), ptr, i32)/; s/FREES/void @deallocate(ptr)/' %s > %t.space.ll
; RUN: not pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %t.space.ll 2>&1 | FileCheck %s --check-prefix=ALLOCATOR
; RUN: sed 's/ALLOCATES/ptr @allocate(ptr byval(i64), i32)/; s/FREES/void @deallocate(ptr)/' %s > %t.copy.ll
; RUN: not pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %t.copy.ll 2>&1 | FileCheck %s --check-prefix=ALLOCATOR
; RUN: sed 's/ALLOCATES/ptr @allocate(ptr swifterror, i32)/; s/FREES/void @deallocate(ptr)/' %s > %t.error.ll
; RUN: not pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %t.error.ll 2>&1 | FileCheck %s --check-prefix=ERROR
; RUN: sed 's/ALLOCATES/ptr @allocate(i32)/; s/FREES/void @deallocate(ptr addrspace(1), ptr)/' %s > %t.free.ll
; RUN: not pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %t.free.ll 2>&1 | FileCheck %s --check-prefix=DEALLOCATOR
; RUN: sed 's/ALLOCATES/ptr @allocate(i32)/; s/FREES/amdgpu_kernel void @deallocate(ptr)/' %s > %t.kernel.ll
; RUN: not pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %t.kernel.ll 2>&1 | FileCheck %s --check-prefix=KERNEL
; RUN: sed 's/ALLOCATES/ptr @allocate(i32)/; s/FREES/void @deallocate(ptr)/' %s > %t.plain.ll
; RUN: sed '/@prototype(/s/ptr)/ptr swifterror)/' %t.plain.ll > %t.register.ll
; RUN: not pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %t.register.ll 2>&1 | FileCheck %s --check-prefix=PROTOTYPE
; RUN: sed 's/frame, ptr %allocator/frame, ptr byval(i64) %allocator/' %t.plain.ll > %t.own.ll
; RUN: not pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %t.own.ll 2>&1 | FileCheck %s --check-prefix=OWN
; RUN: sed 's/ptr noalias %frame, ptr/ptr byval(i64) %frame, ptr/' %t.plain.ll > %t.frame.ll
; RUN: not pycoro opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %t.frame.ll 2>&1 | FileCheck %s --check-prefix=FRAME

; CHECK-LABEL: define { ptr, ptr } @f(
; CHECK: call ptr @allocate(ptr %frame, ptr %allocator, i32 %{{.*}})
; CHECK-LABEL: define internal void @f.resume.0(
; CHECK: call void @deallocate(ptr %buffer, ptr %0, ptr %{{.*}})
; ALLOCATOR: error: an allocator of llvm.coro.id.retcon.once.dynamic must be a function that takes up to two pointers
; ERROR: error: the allocator has a parameter that a generated call cannot pass
; DEALLOCATOR: error: a deallocator of llvm.coro.id.retcon.once.dynamic must be a function that takes up to three pointers
; KERNEL: error: the deallocator has a parameter that a generated call cannot pass, or a calling convention that permits no calls
; PROTOTYPE: error: the attributes of the prototype's second parameter make it a copy of the caller's allocator
; OWN: error: the attributes of the parameter with the allocator make it a copy of the caller's allocator
; FRAME: error: the attributes of the parameter with the buffer make it a copy of the caller's memory

@f.cfp = global <{ i32, i32 }> <{ i32 trunc (i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr @f.cfp to i64)) to i32), i32 0 }>

define { ptr, ptr } @f(ptr noalias %frame, ptr %allocator, i32 %size) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.retcon.once.dynamic(i32 -1, i32 16, ptr @f.cfp, ptr %allocator, ptr %frame, ptr @prototype, ptr @allocate, ptr @deallocate)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %a = call token @llvm.coro.alloca.alloc.i32(i32 %size, i32 8)
  %memory = call ptr @llvm.coro.alloca.get(token %a)
  %again = call { ptr, ptr } (...) @llvm.coro.suspend.retcon.sl_p0p0s(ptr %memory)
  call void @use(ptr %memory)
  call void @llvm.coro.alloca.free(token %a)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

declare void @prototype(ptr noalias, ptr)
declare ALLOCATES
declare FREES
declare void @use(ptr)
declare token @llvm.coro.id.retcon.once.dynamic(i32, i32, ptr, ptr, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare { ptr, ptr } @llvm.coro.suspend.retcon.sl_p0p0s(...)
declare token @llvm.coro.alloca.alloc.i32(i32, i32)
declare ptr @llvm.coro.alloca.get(token)
declare void @llvm.coro.alloca.free(token)
