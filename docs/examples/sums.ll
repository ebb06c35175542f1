; Yields the sum of the numbers that it is resumed with, until a flag ends it.
declare { ptr, i64 } @resumed(ptr, i64, i1 zeroext)
declare ptr @malloc(i64)
declare void @free(ptr)

define { ptr, i64 } @sums(ptr %buffer, i64 %start) {
entry:
  %id = call token @llvm.coro.id.retcon(i32 16, i32 8, ptr %buffer, ptr @resumed, ptr @malloc, ptr @free)
  %frame = call ptr @llvm.coro.begin(token %id, ptr null)
  br label %loop

loop:
  %sum = phi i64 [ %start, %entry ], [ %next, %more ]
  %given = call { i64, i1 } (...) @llvm.coro.suspend.retcon.sl_i64i1s(i64 %sum)
  %stop = extractvalue { i64, i1 } %given, 1
  br i1 %stop, label %end, label %more

more:
  %plus = extractvalue { i64, i1 } %given, 0
  %next = add i64 %sum, %plus
  br label %loop

end:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  unreachable
}

declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare { i64, i1 } @llvm.coro.suspend.retcon.sl_i64i1s(...)
declare void @llvm.coro.end(ptr, i1, token)
