; The same where the coroutine returns its continuations, and drives itself.
define ptr @f(ptr %buffer, i1 %early, ptr byval(i32) align 16 %a) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.retcon(i32 8, i32 16, ptr %buffer, ptr @prototype, ptr @alloc_frame, ptr @free_frame)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  br i1 %early, label %suspend, label %join

suspend:
  %unwind = call i1 (...) @llvm.coro.suspend.retcon.i1()
  br label %join

join:
  %merged = phi ptr [ %a, %suspend ], [ %a, %entry ]
  %same = icmp eq ptr %merged, %a
  call void @report_i1(i1 %same)
  %again = call i1 (...) @llvm.coro.suspend.retcon.i1()
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  unreachable
}

define void @drive() {
  %buffer = alloca [8 x i8]
  %given = alloca i32
  %next = call ptr @f(ptr %buffer, i1 false, ptr byval(i32) align 16 %given)
  %last = call ptr %next(ptr %buffer, i1 true)
  ret void
}

declare ptr @prototype(ptr, i1)
declare ptr @alloc_frame(i64)
declare void @free_frame(ptr)
declare void @report_i1(i1)
