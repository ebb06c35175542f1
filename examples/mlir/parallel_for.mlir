// A parallel loop, which --async-parallel-for splits into blocks on the thread pool.
func.func @main() -> i32 {
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %count = arith.constant 100 : index
  %memory = memref.alloc(%count) : memref<?xi64>
  scf.parallel (%at) = (%first) to (%count) step (%step) {
    %n = arith.index_cast %at : index to i64
    %squared = arith.muli %n, %n : i64
    memref.store %squared, %memory[%at] : memref<?xi64>
    scf.reduce
  }
  %none = arith.constant 0 : i64
  %sum = scf.for %at = %first to %count step %step iter_args(%so_far = %none) -> i64 {
    %squared = memref.load %memory[%at] : memref<?xi64>
    %next = arith.addi %so_far, %squared : i64
    scf.yield %next : i64
  }
  vector.print %sum : i64
  memref.dealloc %memory : memref<?xi64>
  %zero = arith.constant 0 : i32
  return %zero : i32
}
