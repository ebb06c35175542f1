; An async function that awaits a throwing one: the error is passed to the continuation beside the result.
; prints: 21
; prints: 0
; prints: 111
; prints: 5
; prints: live 0
%pointer = type <{ i32, i32 }>
declare token @llvm.coro.id.async(i32, i32, i32, ptr)
declare { ptr, i64, ptr } @llvm.coro.suspend.async.sl_p0i64p0s(i32, ptr, ptr, ...)

define internal ptr @project(ptr %context) alwaysinline {
  %caller = load ptr, ptr %context
  ret ptr %caller
}
define internal swifttailcc void @hand(ptr %function, ptr %context, i64 %value) alwaysinline {
  musttail call swifttailcc void %function(ptr swiftasync %context, i64 %value)
  ret void
}
define internal swifttailcc void @give(ptr %function, ptr %context, i64 %value, ptr swiftself %error) alwaysinline {
  musttail call swifttailcc void %function(ptr swiftasync %context, i64 %value, ptr swiftself %error)
  ret void
}
define internal swifttailcc void @leaf(ptr swiftasync %context, i64 %x) noinline {
  %slot = getelementptr i8, ptr %context, i64 8
  %function = load ptr, ptr %slot
  %bad = icmp ugt i64 %x, 10
  %code = select i1 %bad, i64 5, i64 0
  %error = inttoptr i64 %code to ptr
  %y = mul i64 %x, 3
  musttail call swifttailcc void %function(ptr swiftasync %context, i64 %y, ptr swiftself %error)
  ret void
}
@work.pointer = global %pointer <{ i32 trunc (i64 sub (i64 ptrtoint (ptr @work to i64), i64 ptrtoint (ptr @work.pointer to i64)) to i32), i32 16 }>
define swifttailcc void @work(ptr swiftasync %context, i64 %n) {
entry:
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @work.pointer)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  %other = add i64 %n, 100
  %callee = call ptr @task_alloc(i64 16)
  store ptr %context, ptr %callee
  %slot = getelementptr i8, ptr %callee, i64 8
  %resume = call ptr @llvm.coro.async.resume()
  store ptr %resume, ptr %slot
  %back = call { ptr, i64, ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0i64p0s(i32 512, ptr %resume, ptr @project, ptr @hand, ptr @leaf, ptr %callee, i64 %n)
  %value = extractvalue { ptr, i64, ptr } %back, 1
  %error = extractvalue { ptr, i64, ptr } %back, 2
  call void @task_dealloc(ptr %callee)
  %failed = icmp ne ptr %error, null
  %result = select i1 %failed, i64 %other, i64 %value
  %own = getelementptr i8, ptr %context, i64 8
  %function = load ptr, ptr %own
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %handle, i1 false, ptr @give, ptr %function, ptr %context, i64 %result, ptr %error)
  unreachable
}
define internal swifttailcc void @finish(ptr swiftasync %context, i64 %value, ptr swiftself %error) {
  call void @show(i64 %value)
  %code = ptrtoint ptr %error to i64
  call void @show(i64 %code)
  ret void
}
define internal void @run(i64 %n) {
  %size = load i32, ptr getelementptr inbounds (%pointer, ptr @work.pointer, i32 0, i32 1)
  %bytes = zext i32 %size to i64
  %context = call ptr @task_alloc(i64 %bytes)
  store ptr null, ptr %context
  %slot = getelementptr i8, ptr %context, i64 8
  store ptr @finish, ptr %slot
  call swifttailcc void @work(ptr swiftasync %context, i64 %n)
  call void @task_dealloc(ptr %context)
  ret void
}
define void @drive() {
  call void @run(i64 7)
  call void @run(i64 11)
  ret void
}
