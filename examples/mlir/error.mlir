// A failed assertion in a coroutine makes its token and value errors, which the coroutine that awaits it receives.
async.func @checked_half(%n: i64) -> !async.value<i64> {
  %one = arith.constant 1 : i64
  %none = arith.constant 0 : i64
  %bit = arith.andi %n, %one : i64
  %even = arith.cmpi eq, %bit, %none : i64
  cf.assert %even, "an odd number has no half"
  %half = arith.shrui %n, %one : i64
  return %half : i64
}

async.func @quarter(%n: i64) -> !async.value<i64> {
  %value = async.call @checked_half(%n) : (i64) -> !async.value<i64>
  %half = async.await %value : !async.value<i64>
  %again = async.call @checked_half(%half) : (i64) -> !async.value<i64>
  %quarter = async.await %again : !async.value<i64>
  return %quarter : i64
}

func.func @report(%n: i64) {
  %value = async.call @quarter(%n) : (i64) -> !async.value<i64>
  async.runtime.await %value : !async.value<i64>
  %failed = async.runtime.is_error %value : !async.value<i64>
  vector.print %failed : i1
  return
}

func.func @main() -> i32 {
  %twelve = arith.constant 12 : i64
  %ten = arith.constant 10 : i64
  %seven = arith.constant 7 : i64
  call @report(%twelve) : (i64) -> ()
  call @report(%ten) : (i64) -> ()
  call @report(%seven) : (i64) -> ()
  %zero = arith.constant 0 : i32
  return %zero : i32
}
