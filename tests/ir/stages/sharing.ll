; The results of the stages for a coroutine with a caller's buffer, coro.alloca memory, and fields that share bytes.
; RUN: pycoro explain --stage all --reuse-storage %s | FileCheck %s
; RUN: not pycoro explain --stage layuot %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN

; UNKNOWN: no stage 'layuot'; did you mean 'layout'?

; CHECK-LABEL: @f
; CHECK-LABEL: shape:
; CHECK: id {{.*}}@llvm.coro.id.retcon
; CHECK: suspend {{.*}}@llvm.coro.suspend.retcon
; CHECK: suspend {{.*}}@llvm.coro.suspend.retcon
; CHECK-LABEL: select_abi:
; CHECK-NEXT: returned continuation
; CHECK-NEXT: every clone has %buffer
; CHECK-LABEL: cfg:
; CHECK: landing 1 in
; CHECK-LABEL: crossing:
; CHECK: %a of {{.*}} is live at
; CHECK-LABEL: alloca_intrinsics:
; CHECK-NEXT: %token from the allocator
; CHECK-LABEL: field_liveness:
; CHECK: %a at suspends 0; at positions
; CHECK: %b at suspends 1; at positions
; CHECK-LABEL: layout:
; CHECK: [8, 16) %a
; CHECK-NEXT: [8, 16) %b
; CHECK: bytes aligned to 8

declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare void @llvm.coro.end(ptr, i1, token)
declare token @llvm.coro.alloca.alloc.i64(i64, i32)
declare ptr @llvm.coro.alloca.get(token)
declare void @llvm.coro.alloca.free(token)
declare ptr @prototype(ptr, i1)
declare ptr @allocate(i64)
declare void @deallocate(ptr)
declare i64 @next()
declare void @show(i64)

define ptr @f(ptr %buffer) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.retcon(i32 64, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %frame = call ptr @llvm.coro.begin(token %id, ptr null)
  %token = call token @llvm.coro.alloca.alloc.i64(i64 8, i32 8)
  %memory = call ptr @llvm.coro.alloca.get(token %token)
  %a = call i64 @next()
  %first = call i1 (...) @llvm.coro.suspend.retcon.i1()
  br i1 %first, label %end, label %more

more:
  call void @show(i64 %a)
  %b = call i64 @next()
  %second = call i1 (...) @llvm.coro.suspend.retcon.i1()
  br i1 %second, label %end, label %last

last:
  call void @show(i64 %b)
  br label %end

end:
  call void @llvm.coro.alloca.free(token %token)
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  unreachable
}
