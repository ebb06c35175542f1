; No coroutine: @f gives back 40 bytes of the stack, as an i128 and three i16 take, and @drive reckons with 48.
declare void @report_i64(i64)

define internal swifttailcc void @f(ptr swiftasync %context, <3 x i16> %a, <3 x i16> %b, i128 %wide, <3 x i16> %c) noinline {
  %low = trunc i128 %wide to i64
  call void @report_i64(i64 %low)
  ret void
}

define void @drive() {
  %context = alloca i8
  call swifttailcc void @f(ptr swiftasync %context, <3 x i16> zeroinitializer, <3 x i16> zeroinitializer, i128 -3, <3 x i16> zeroinitializer)
  ret void
}
