; An end of a returned-continuation coroutine frees its frame, also an unwinding one after which the clone continues:
; spilled values used there are reloaded before the end on every path.
; RUN: pycoro opt %s -S -verify-each -passes='coro-early,cgscc(coro-split),coro-cleanup' | FileCheck %s
; UNSUPPORTED: reference

; CHECK-LABEL: define internal ptr @f.resume.0(
; CHECK: pad:
; CHECK: %w.reload = load i64
; CHECK-NEXT: call void @deallocate(
; CHECK: next:
; CHECK-NOT: = load
; CHECK: resume { ptr, i32 }

; CHECK-LABEL: define internal ptr @g.resume.0(
; CHECK: pad:
; CHECK: call void @deallocate(
; CHECK-NOT: = load
; CHECK: resume { ptr, i32 }

define ptr @f(ptr %buffer) presplitcoroutine personality ptr @personality {
entry:
  %id = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %v = call i64 @get()
  %w = call i64 @get()
  %x = call i64 @get()
  %u = call i1 (...) @llvm.coro.suspend.retcon.i1()
  br i1 %u, label %clean, label %b

b:
  invoke void @may(i64 1)
          to label %n unwind label %pad

n:
  %c = icmp eq i64 %v, 3
  br i1 %c, label %clean, label %m

m:
  call void @use(i64 %x)
  br label %clean

pad:
  %l = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr %hdl, i1 true, token none)
  br label %next

next:
  call void @use(i64 %w)
  %z = call i64 @get()
  %zz = icmp eq i64 %z, 0
  br i1 %zz, label %res, label %more

more:
  call void @use(i64 %x)
  br label %res

res:
  resume { ptr, i32 } %l

clean:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  unreachable
}

define ptr @g(ptr %buffer) presplitcoroutine personality ptr @personality {
entry:
  %id = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @allocate, ptr @deallocate)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %v = call i64 @get()
  %w = call i64 @get()
  %x = call i64 @get()
  invoke void @may(i64 7)
          to label %go unwind label %pad0

pad0:
  %l0 = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr %hdl, i1 true, token none)
  br label %next

go:
  %u = call i1 (...) @llvm.coro.suspend.retcon.i1()
  br i1 %u, label %clean, label %b

b:
  invoke void @may(i64 1)
          to label %n unwind label %pad

n:
  %c = icmp eq i64 %v, 3
  br i1 %c, label %clean, label %m

m:
  call void @use(i64 %x)
  br label %clean

pad:
  %l = landingpad { ptr, i32 }
          cleanup
  call void @llvm.coro.end(ptr %hdl, i1 true, token none)
  br label %next

next:
  %ll = phi { ptr, i32 } [ %l0, %pad0 ], [ %l, %pad ]
  call void @use(i64 %w)
  %z = call i64 @get()
  %zz = icmp eq i64 %z, 0
  br i1 %zz, label %res, label %more

more:
  call void @use(i64 %x)
  br label %res

res:
  resume { ptr, i32 } %ll

clean:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  unreachable
}

declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare void @llvm.coro.end(ptr, i1, token)
declare noalias ptr @allocate(i32)
declare void @deallocate(ptr)
declare ptr @prototype(ptr, i1)
declare i64 @get()
declare void @use(i64)
declare void @may(i64)
declare i32 @personality(...)
