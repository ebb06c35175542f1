; An async function that awaits another in a loop, with an array and an over-aligned vector in its context.
; prints: 0 1 4 9 16 25
; prints: 0
; prints: 36
; prints: 55
; prints: live 0
%pointer = type <{ i32, i32 }>
declare token @llvm.coro.id.async(i32, i32, i32, ptr)
declare { ptr, i64 } @llvm.coro.suspend.async.sl_p0i64s(i32, ptr, ptr, ...)
declare i32 @llvm.vector.reduce.add.v8i32(<8 x i32>)

define internal ptr @__swift_async_resume_project_context(ptr %context) alwaysinline {
  %caller = load ptr, ptr %context
  ret ptr %caller
}
define internal swifttailcc void @hand(ptr %function, ptr %context, i64 %value) alwaysinline {
  musttail call swifttailcc void %function(ptr swiftasync %context, i64 %value)
  ret void
}
@work.pointer = global %pointer <{ i32 trunc (i64 sub (i64 ptrtoint (ptr @work to i64), i64 ptrtoint (ptr @work.pointer to i64)) to i32), i32 16 }>
define internal swifttailcc void @leaf(ptr swiftasync %context, i64 %x) noinline {
  %slot = getelementptr i8, ptr %context, i64 8
  %function = load ptr, ptr %slot
  %y = mul i64 %x, %x
  musttail call swifttailcc void %function(ptr swiftasync %context, i64 %y)
  ret void
}
define swifttailcc void @work(ptr swiftasync %context, i64 %n) {
entry:
  %all = alloca [64 x i64], align 32
  %vector = alloca <8 x i32>, align 32
  %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @work.pointer)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  store <8 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8>, ptr %vector
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %sum = phi i64 [ 0, %entry ], [ %more, %body ]
  %go = icmp slt i64 %i, %n
  br i1 %go, label %body, label %done
body:
  %callee = call ptr @task_alloc(i64 16)
  store ptr %context, ptr %callee
  %slot = getelementptr i8, ptr %callee, i64 8
  %resume = call ptr @llvm.coro.async.resume()
  store ptr %resume, ptr %slot
  %back = call { ptr, i64 } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0i64s(i32 0, ptr %resume, ptr @__swift_async_resume_project_context, ptr @hand, ptr @leaf, ptr %callee, i64 %i)
  %value = extractvalue { ptr, i64 } %back, 1
  call void @task_dealloc(ptr %callee)
  %at = getelementptr [64 x i64], ptr %all, i64 0, i64 %i
  store i64 %value, ptr %at
  %more = add i64 %sum, %value
  %next = add i64 %i, 1
  br label %loop
done:
  call void @show_all(ptr %all, i64 %n)
  %bits = ptrtoint ptr %vector to i64
  %low = and i64 %bits, 31
  call void @show(i64 %low)
  %lanes = load <8 x i32>, ptr %vector
  %total = call i32 @llvm.vector.reduce.add.v8i32(<8 x i32> %lanes)
  %wide = zext i32 %total to i64
  call void @show(i64 %wide)
  %own = getelementptr i8, ptr %context, i64 8
  %function = load ptr, ptr %own
  call void (ptr, i1, ...) @llvm.coro.end.async(ptr %handle, i1 false, ptr @hand, ptr %function, ptr %context, i64 %sum)
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
  call swifttailcc void @work(ptr swiftasync %context, i64 6)
  call void @task_dealloc(ptr %context)
  ret void
}
