; Coroutines that never suspend: one with an empty buffer, one that yields once, and an async function.
; prints: 42
; prints: 1
; prints: 1
; prints: 9
; prints: 10
; prints: live 0
%pointer = type <{ i32, i32 }>
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare token @llvm.coro.id.retcon.once(i32, i32, ptr, ptr, ptr, ptr)
declare token @llvm.coro.id.async(i32, i32, i32, ptr)
declare ptr @prototype(ptr, i1)
declare void @once.prototype(ptr, i1)

define ptr @empty(ptr dereferenceable(8) %buffer) noinline {
entry:
  %id = call token @llvm.coro.id.retcon(i32 0, i32 1, ptr %buffer, ptr @prototype, ptr @my_alloc, ptr @my_free)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %buffer)
  %at = getelementptr inbounds i32, ptr %handle, i64 1
  store i32 42, ptr %at
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

define ptr @once(ptr %buffer, i64 %n) noinline {
entry:
  %memory = alloca [16 x i64]
  %id = call token @llvm.coro.id.retcon.once(i32 8, i32 8, ptr %buffer, ptr @once.prototype, ptr @my_alloc, ptr @my_free)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  store i64 %n, ptr %memory
  %same = load i64, ptr %memory
  call void @show(i64 %same)
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}

@async.pointer = global %pointer <{ i32 trunc (i64 sub (i64 ptrtoint (ptr @async to i64), i64 ptrtoint (ptr @async.pointer to i64)) to i32), i32 16 }>
define internal swifttailcc void @hand(ptr %function, ptr %context, i64 %value) alwaysinline {
  musttail call swifttailcc void %function(ptr swiftasync %context, i64 %value)
  ret void
}
define swifttailcc void @async(ptr swiftasync %context, i64 %n) {
entry:
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @async.pointer)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  call void @show(i64 %n)
  %slot = getelementptr i8, ptr %context, i64 8
  %function = load ptr, ptr %slot
  %more = add i64 %n, 1
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %handle, i1 false, ptr @hand, ptr %function, ptr %context, i64 %more)
  unreachable
}
define internal swifttailcc void @finish(ptr swiftasync %context, i64 %value) {
  call void @show(i64 %value)
  ret void
}

define void @drive() {
  %buffer = alloca i64
  store i64 0, ptr %buffer
  %next = call ptr @empty(ptr dereferenceable(8) %buffer)
  %at = getelementptr i32, ptr %buffer, i64 1
  %value = load i32, ptr %at
  %wide = sext i32 %value to i64
  call void @show(i64 %wide)
  %over = icmp eq ptr %next, null
  %none = zext i1 %over to i64
  call void @show(i64 %none)
  %after = call ptr @once(ptr %buffer, i64 1)
  %size = load i32, ptr getelementptr inbounds (%pointer, ptr @async.pointer, i32 0, i32 1)
  %bytes = zext i32 %size to i64
  %context = call ptr @task_alloc(i64 %bytes)
  store ptr null, ptr %context
  %slot = getelementptr i8, ptr %context, i64 8
  store ptr @finish, ptr %slot
  call swifttailcc void @async(ptr swiftasync %context, i64 9)
  call void @task_dealloc(ptr %context)
  ret void
}
