; A coroutine's code generation attributes also apply to its helper functions: branch targets, return address
; protection, target machine, sanitizers.
; UNSUPPORTED: reference
; RUN: pycoro opt %s -passes='coro-early,cgscc(coro-split),coro-cleanup' -S | FileCheck %s

; CHECK: define internal void @f.drop({{.*}}) #[[OWN:[0-9]+]] section "hot"
; CHECK: define internal ptr @f.driver({{.*}}) #[[OWN]] section "hot"
; CHECK: define internal void @f.transfer({{.*}}) #[[OWN]] section "hot"
; CHECK: define internal void @f.release({{.*}}) #[[OWN]] section "hot"
; CHECK: attributes #[[OWN]] = { sanitize_address sspstrong uwtable "branch-target-enforcement" "disable-tail-calls"="true" "frame-pointer"="all" "sign-return-address"="all" "target-cpu"="cortex-a72" "target-features"="+bti" }

target triple = "aarch64-unknown-linux-gnu"

define ptr @f(ptr %memory, i64 %n) presplitcoroutine nofree nounwind willreturn sanitize_address sspstrong uwtable "branch-target-enforcement" "disable-tail-calls"="true" "frame-pointer"="all" "sign-return-address"="all" "target-cpu"="cortex-a72" "target-features"="+bti" section "hot" {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %array = alloca i32, i64 %n
  %token = call token @llvm.coro.alloca.alloc.i64(i64 %n, i32 8)
  %storage = call ptr @llvm.coro.alloca.get(token %token)
  store i32 7, ptr %storage
  %save = call token @llvm.coro.save(ptr %frame)
  call void @llvm.coro.await.suspend.handle(ptr null, ptr %frame, ptr @next)
  %s = call i8 @llvm.coro.suspend(token %save, i1 false)
  switch i8 %s, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  call void @use(ptr %array, ptr %storage)
  call void @llvm.coro.alloca.free(token %token)
  %save.2 = call token @llvm.coro.save(ptr %frame)
  call void @llvm.coro.await.suspend.handle(ptr null, ptr %frame, ptr @next)
  %s.2 = call i8 @llvm.coro.suspend(token %save.2, i1 false)
  switch i8 %s.2, label %suspend [
    i8 0, label %cleanup
    i8 1, label %cleanup
  ]

cleanup:
  %block = call ptr @llvm.coro.free(token %id, ptr %frame)
  call void @free(ptr %block)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}

declare ptr @next(ptr, ptr)
declare void @use(ptr, ptr)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare token @llvm.coro.save(ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.await.suspend.handle(ptr, ptr, ptr)
declare token @llvm.coro.alloca.alloc.i64(i64, i32)
declare ptr @llvm.coro.alloca.get(token)
declare void @llvm.coro.alloca.free(token)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare void @free(ptr)
