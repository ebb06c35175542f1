; A coroutine that never suspends: it runs and frees its frame in the ramp.
; oracle: main()

define ptr @f(i32 %n) presplitcoroutine {
entry:
  %x = alloca i32
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %need = call i1 @llvm.coro.alloc(token %id)
  br i1 %need, label %alloc, label %begin

alloc:
  %size = call i64 @llvm.coro.size.i64()
  %mem = call ptr @malloc(i64 %size)
  br label %begin

begin:
  %frame = phi ptr [ null, %entry ], [ %mem, %alloc ]
  %hdl = call ptr @llvm.coro.begin(token %id, ptr %frame)
  store i32 %n, ptr %x
  %v = load i32, ptr %x
  call void @print(i32 %v)
  %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)
  %was = icmp ne ptr %dead, null
  br i1 %was, label %release, label %out

release:
  call void @free(ptr %dead)
  br label %out

out:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  ret ptr null
}

define void @main() {
  %h = call ptr @f(i32 12)
  %null = icmp eq ptr %h, null
  %bit = zext i1 %null to i32
  call void @print(i32 %bit)
  ret void
}

declare void @print(i32)
declare ptr @malloc(i64)
declare void @free(ptr)
