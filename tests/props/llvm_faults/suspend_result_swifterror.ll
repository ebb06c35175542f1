; What a suspend gives is taken apart after the next one: LLVM keeps the whole, with the swifterror parameter in it.
define swiftcc { ptr, i8 } @f(ptr %buffer, ptr swifterror %error) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.retcon(i32 16, i32 8, ptr %buffer, ptr @prototype, ptr @alloc_frame, ptr @free_frame)
  %hdl = call ptr @llvm.coro.begin(token %id, ptr null)
  %back = call { i1, i32, ptr } (...) @llvm.coro.suspend.retcon.sl_i1i32p0s(i8 1)
  %again = call { i1, i32, ptr } (...) @llvm.coro.suspend.retcon.sl_i1i32p0s(i8 2)
  %given = extractvalue { i1, i32, ptr } %back, 1
  call void @report_i32(i32 %given)
  call void @llvm.coro.end(ptr %hdl, i1 false, token none)
  unreachable
}

define void @drive() {
  %buffer = alloca [16 x i8], align 8
  %error = alloca swifterror ptr
  store ptr null, ptr %error
  %first = call swiftcc { ptr, i8 } @f(ptr %buffer, ptr swifterror %error)
  %next = extractvalue { ptr, i8 } %first, 0
  %second = call swiftcc { ptr, i8 } %next(ptr %buffer, i1 false, i32 7, ptr swifterror %error)
  %last = extractvalue { ptr, i8 } %second, 0
  %third = call swiftcc { ptr, i8 } %last(ptr %buffer, i1 false, i32 8, ptr swifterror %error)
  ret void
}

declare swiftcc { ptr, i8 } @prototype(ptr, i1, i32, ptr swifterror)
declare ptr @alloc_frame(i64)
declare void @free_frame(ptr)
declare void @report_i32(i32)
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare { i1, i32, ptr } @llvm.coro.suspend.retcon.sl_i1i32p0s(...)
declare void @llvm.coro.end(ptr, i1, token)
