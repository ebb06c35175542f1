; A coroutine that yields nothing, and returns its continuation in a struct all the same.
declare ptr @malloc(i64)
declare void @free(ptr)
declare { ptr } @prototype(ptr, i1)
declare i32 @printf(ptr, ...)
@format = private constant [4 x i8] c"%d\0A\00"

define { ptr } @f(ptr %buffer, i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @malloc, ptr @free)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %gone = call i1 (...) @llvm.coro.suspend.retcon.i1()
  br i1 %gone, label %end, label %go

go:
  %printed = call i32 (ptr, ...) @printf(ptr @format, i32 %n)
  br label %end

end:
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  unreachable
}

define i32 @main() {
  %buffer = alloca [8 x i8], align 8
  %state = call { ptr } @f(ptr %buffer, i32 42)
  %next = extractvalue { ptr } %state, 0
  %over = call { ptr } %next(ptr %buffer, i1 false)
  %none = extractvalue { ptr } %over, 0
  %null = icmp eq ptr %none, null
  %status = select i1 %null, i32 0, i32 1
  ret i32 %status
}
