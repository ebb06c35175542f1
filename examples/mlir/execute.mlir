// Regions that run on the thread pool: the second waits for the token of the first, the third for the value of the second.
func.func @main() -> i32 {
  %memory = memref.alloc() : memref<2xi64>
  %first = arith.constant 0 : index
  %second = arith.constant 1 : index
  %written = async.execute {
    %value = arith.constant 20 : i64
    memref.store %value, %memory[%first] : memref<2xi64>
    async.yield
  }
  %read, %doubled = async.execute [%written] -> !async.value<i64> {
    %value = memref.load %memory[%first] : memref<2xi64>
    %sum = arith.addi %value, %value : i64
    memref.store %sum, %memory[%second] : memref<2xi64>
    async.yield %sum : i64
  }
  %done, %result = async.execute (%doubled as %value: !async.value<i64>) -> !async.value<i64> {
    %stored = memref.load %memory[%second] : memref<2xi64>
    %two = arith.constant 2 : i64
    %sum = arith.addi %value, %two : i64
    %equal = arith.cmpi eq, %stored, %value : i64
    cf.assert %equal, "the second region stored its value"
    async.yield %sum : i64
  }
  %answer = async.await %result : !async.value<i64>
  async.await %done : !async.token
  vector.print %answer : i64
  memref.dealloc %memory : memref<2xi64>
  %zero = arith.constant 0 : i32
  return %zero : i32
}
