; A swifterror variable is read into another one: LLVM's memcpyopt gives the call the swifterror variable instead.
define void @drive() {
  %error = alloca swifterror ptr
  %buffer = alloca ptr
  store ptr null, ptr %error
  call swiftcc void @raise_error(ptr swifterror %error)
  %raised = load ptr, ptr %error
  store ptr %raised, ptr %buffer
  call void @see(ptr %buffer)
  ret void
}
define internal swiftcc void @raise_error(ptr writeonly swifterror captures(none) %error) noinline {
  store ptr inttoptr (i64 8 to ptr), ptr %error
  ret void
}
define internal void @see(ptr noalias readonly captures(none) %buffer) noinline {
  %raised = load ptr, ptr %buffer
  %number = ptrtoint ptr %raised to i64
  call void @report_i64(i64 %number)
  ret void
}
declare void @report_i64(i64)
