// A generator in MLIR's LLVM dialect: it yields the numbers from 1 to %to. @main prints their sum.
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)
llvm.func @printI64(i64)
llvm.func @printNewline()

llvm.func @count(%to: i64) -> !llvm.ptr attributes {passthrough = ["presplitcoroutine"]} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i64) : i64
  %size = llvm.mlir.constant(1 : i32) : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %false = llvm.mlir.constant(false) : i1
  %true = llvm.mlir.constant(true) : i1
  %promise = llvm.alloca %size x i64 : (i32) -> !llvm.ptr
  %id = llvm.intr.coro.id %zero, %promise, %null, %null : (i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> !llvm.token
  %bytes = llvm.intr.coro.size : i64
  %memory = llvm.call @malloc(%bytes) : (i64) -> !llvm.ptr
  %handle = llvm.intr.coro.begin %id, %memory : (!llvm.token, !llvm.ptr) -> !llvm.ptr
  llvm.br ^loop(%one : i64)
^loop(%n: i64):
  %more = llvm.icmp "sle" %n, %to : i64
  llvm.cond_br %more, ^yield, ^done
^yield:
  llvm.store %n, %promise : i64, !llvm.ptr
  %save = llvm.intr.coro.save %handle : (!llvm.ptr) -> !llvm.token
  %state = llvm.intr.coro.suspend %save, %false : i8
  %wide = llvm.sext %state : i8 to i32
  llvm.switch %wide : i32, ^suspended [
    0: ^resumed,
    1: ^cleanup
  ]
^resumed:
  %next = llvm.add %n, %one : i64
  llvm.br ^loop(%next : i64)
^done:
  %final_save = llvm.intr.coro.save %handle : (!llvm.ptr) -> !llvm.token
  %final_state = llvm.intr.coro.suspend %final_save, %true : i8
  %final_wide = llvm.sext %final_state : i8 to i32
  llvm.switch %final_wide : i32, ^suspended [
    1: ^cleanup
  ]
^cleanup:
  %frame = llvm.intr.coro.free %id, %handle : (!llvm.token, !llvm.ptr) -> !llvm.ptr
  llvm.call @free(%frame) : (!llvm.ptr) -> ()
  llvm.br ^suspended
^suspended:
  %none = llvm.mlir.none : !llvm.token
  llvm.intr.coro.end %handle, %false, %none : (!llvm.ptr, i1, !llvm.token) -> !llvm.void
  llvm.return %handle : !llvm.ptr
}

llvm.func @main() -> i32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %none = llvm.mlir.constant(0 : i64) : i64
  %ten = llvm.mlir.constant(10 : i64) : i64
  %align = llvm.mlir.constant(8 : i32) : i32
  %false = llvm.mlir.constant(false) : i1
  %handle = llvm.call @count(%ten) : (i64) -> !llvm.ptr
  llvm.br ^loop(%none : i64)
^loop(%sum: i64):
  %done = llvm.call_intrinsic "llvm.coro.done"(%handle) : (!llvm.ptr) -> i1
  llvm.cond_br %done, ^out, ^read
^read:
  %promise = llvm.intr.coro.promise %handle, %align, %false : (!llvm.ptr, i32, i1) -> !llvm.ptr
  %n = llvm.load %promise : !llvm.ptr -> i64
  %next = llvm.add %sum, %n : i64
  llvm.intr.coro.resume %handle : !llvm.ptr
  llvm.br ^loop(%next : i64)
^out:
  llvm.call_intrinsic "llvm.coro.destroy"(%handle) : (!llvm.ptr) -> ()
  llvm.call @printI64(%sum) : (i64) -> ()
  llvm.call @printNewline() : () -> ()
  llvm.return %zero : i32
}
