// A coroutine that awaits two others: 3 * 3 + 4 * 4.
async.func @square(%n: i64) -> !async.value<i64> {
  %squared = arith.muli %n, %n : i64
  return %squared : i64
}

async.func @hypotenuse(%a: i64, %b: i64) -> !async.value<i64> {
  %first = async.call @square(%a) : (i64) -> !async.value<i64>
  %second = async.call @square(%b) : (i64) -> !async.value<i64>
  %x = async.await %first : !async.value<i64>
  %y = async.await %second : !async.value<i64>
  %sum = arith.addi %x, %y : i64
  return %sum : i64
}

func.func @main() -> i32 {
  %a = arith.constant 3 : i64
  %b = arith.constant 4 : i64
  %value = async.call @hypotenuse(%a, %b) : (i64, i64) -> !async.value<i64>
  %sum = async.await %value : !async.value<i64>
  vector.print %sum : i64
  %zero = arith.constant 0 : i32
  return %zero : i32
}
