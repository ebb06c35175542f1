; async let: two child tasks start, are suspended, and are awaited; they are resumed in the opposite order.
; prints: 1
; prints: 2
; prints: 20
; prints: 10
; prints: 133
; prints: live 0
%pointer = type <{ i32, i32 }>
%child = type { ptr, ptr, ptr, ptr, i64 }
@parked = internal global [4 x ptr] zeroinitializer
@parked.count = internal global i64 0
declare token @llvm.coro.id.async(i32, i32, i32, ptr)
declare { ptr, i64 } @llvm.coro.suspend.async.sl_p0i64s(i32, ptr, ptr, ...)
declare { ptr } @llvm.coro.suspend.async.sl_p0s(i32, ptr, ptr, ...)

define internal ptr @project(ptr %context) alwaysinline {
  %caller = load ptr, ptr %context
  ret ptr %caller
}
define internal ptr @same(ptr %context) alwaysinline {
  ret ptr %context
}
define internal swifttailcc void @hand(ptr %function, ptr %context, i64 %value) alwaysinline {
  musttail call swifttailcc void %function(ptr swiftasync %context, i64 %value)
  ret void
}
; Stores the function and the context for the scheduler, and returns to it.
define internal swifttailcc void @park(ptr %function, ptr %context) noinline {
  %count = load i64, ptr @parked.count
  %first = getelementptr ptr, ptr @parked, i64 %count
  %next = getelementptr ptr, ptr %first, i64 1
  store ptr %function, ptr %first
  store ptr %context, ptr %next
  %more = add i64 %count, 2
  store i64 %more, ptr @parked.count
  ret void
}
@task.pointer = global %pointer <{ i32 trunc (i64 sub (i64 ptrtoint (ptr @task to i64), i64 ptrtoint (ptr @task.pointer to i64)) to i32), i32 40 }>
; The context of a task: caller, function at the end, function and context of the awaiting task, result.
define swifttailcc void @task(ptr swiftasync %context, i64 %n) {
entry:
  %id = call token @llvm.coro.id.async(i32 40, i32 16, i32 0, ptr @task.pointer)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  call void @show(i64 %n)
  %resume = call ptr @llvm.coro.async.resume()
  %back = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %resume, ptr @same, ptr @park, ptr %resume, ptr %context)
  %ten = mul i64 %n, 10
  call void @show(i64 %ten)
  %slot = getelementptr %child, ptr %context, i32 0, i32 1
  %function = load ptr, ptr %slot
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %handle, i1 false, ptr @hand, ptr %function, ptr %context, i64 %ten)
  unreachable
}
; At the end of a task: keeps the result, and resumes the awaiting task.
define internal swifttailcc void @ended(ptr swiftasync %context, i64 %value) {
  %result = getelementptr %child, ptr %context, i32 0, i32 4
  store i64 %value, ptr %result
  %slot = getelementptr %child, ptr %context, i32 0, i32 2
  %waiter = load ptr, ptr %slot
  %none = icmp eq ptr %waiter, null
  br i1 %none, label %done, label %resume
resume:
  musttail call swifttailcc void %waiter(ptr swiftasync %context, i64 %value)
  ret void
done:
  ret void
}
; Awaits a task: resumes at once if it has ended.
define internal swifttailcc void @await(ptr %function, ptr %context) noinline {
  %result = getelementptr %child, ptr %context, i32 0, i32 4
  %value = load i64, ptr %result
  %pending = icmp eq i64 %value, -1
  br i1 %pending, label %wait, label %resume
wait:
  %slot = getelementptr %child, ptr %context, i32 0, i32 2
  store ptr %function, ptr %slot
  ret void
resume:
  call swifttailcc void %function(ptr swiftasync %context, i64 %value)
  ret void
}
define internal ptr @start(ptr %caller, i64 %n) noinline {
  %size = load i32, ptr getelementptr inbounds (%pointer, ptr @task.pointer, i32 0, i32 1)
  %bytes = zext i32 %size to i64
  %context = call ptr @task_alloc(i64 %bytes)
  store ptr %caller, ptr %context
  %slot = getelementptr %child, ptr %context, i32 0, i32 1
  store ptr @ended, ptr %slot
  %waiter = getelementptr %child, ptr %context, i32 0, i32 2
  store ptr null, ptr %waiter
  %result = getelementptr %child, ptr %context, i32 0, i32 4
  store i64 -1, ptr %result
  call swifttailcc void @task(ptr swiftasync %context, i64 %n)
  ret ptr %context
}
@work.pointer = global %pointer <{ i32 trunc (i64 sub (i64 ptrtoint (ptr @work to i64), i64 ptrtoint (ptr @work.pointer to i64)) to i32), i32 16 }>
define swifttailcc void @work(ptr swiftasync %context, i64 %n) {
entry:
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @work.pointer)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %kept = add i64 %n, 100
  %a = call ptr @start(ptr %context, i64 1)
  %b = call ptr @start(ptr %context, i64 2)
  %first = call ptr @llvm.coro.async.resume()
  %x = call { ptr, i64 } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0i64s(i32 0, ptr %first, ptr @project, ptr @await, ptr %first, ptr %a)
  %value.a = extractvalue { ptr, i64 } %x, 1
  %second = call ptr @llvm.coro.async.resume()
  %y = call { ptr, i64 } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0i64s(i32 0, ptr %second, ptr @project, ptr @await, ptr %second, ptr %b)
  %value.b = extractvalue { ptr, i64 } %y, 1
  call void @task_dealloc(ptr %b)
  call void @task_dealloc(ptr %a)
  %sum = add i64 %value.a, %value.b
  %all = add i64 %sum, %kept
  %own = getelementptr i8, ptr %context, i64 8
  %function = load ptr, ptr %own
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %handle, i1 false, ptr @hand, ptr %function, ptr %context, i64 %all)
  unreachable
}
define internal swifttailcc void @finish(ptr swiftasync %context, i64 %value) {
  call void @show(i64 %value)
  ret void
}
define void @drive() {
  %size = load i32, ptr getelementptr inbounds (%pointer, ptr @work.pointer, i32 0, i32 1)
  %bytes = zext i32 %size to i64
  %context = call ptr @task_alloc(i64 %bytes)
  store ptr null, ptr %context
  %slot = getelementptr i8, ptr %context, i64 8
  store ptr @finish, ptr %slot
  call swifttailcc void @work(ptr swiftasync %context, i64 3)
  %f2 = load ptr, ptr getelementptr (i8, ptr @parked, i64 16)
  %c2 = load ptr, ptr getelementptr (i8, ptr @parked, i64 24)
  call swifttailcc void %f2(ptr swiftasync %c2)
  %f1 = load ptr, ptr @parked
  %c1 = load ptr, ptr getelementptr (i8, ptr @parked, i64 8)
  call swifttailcc void %f1(ptr swiftasync %c1)
  call void @task_dealloc(ptr %context)
  ret void
}
