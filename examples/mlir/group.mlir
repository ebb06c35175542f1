// A loop starts sixteen coroutines and waits for all: the sum of the squares of 0 to 15.
async.func @store_square(%memory: memref<?xi64>, %at: index) -> !async.token {
  %n = arith.index_cast %at : index to i64
  %squared = arith.muli %n, %n : i64
  memref.store %squared, %memory[%at] : memref<?xi64>
  return
}

func.func @main() -> i32 {
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %count = arith.constant 16 : index
  %memory = memref.alloc(%count) : memref<?xi64>
  %group = async.create_group %count : !async.group
  scf.for %at = %first to %count step %step {
    %token = async.call @store_square(%memory, %at) : (memref<?xi64>, index) -> !async.token
    %rank = async.add_to_group %token, %group : !async.token
  }
  async.await_all %group
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
