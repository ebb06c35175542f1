/* Finds the instructions that are reachable from an instruction, or on paths between two of them. The cost is
   proportional to the number of instructions found.
   Requires: ir, clones.
   Guarantees: the function is unchanged. */
#ifndef CORO_HANDLES_REACHABLE_CODE_H
#define CORO_HANDLES_REACHABLE_CODE_H

#include "ir/constant_fold.h"
#include "run/clones.h"

struct reachable {
  struct pass_run *run;
  LLVMValueRef function;
  bool to_begin; /* paths end at the function's coro.begin, which is included */
  bool given_frame; /* assume that the caller provides the frame: coro.alloc is false */
  struct coro_map found; /* instructions */
  LLVMValueRef returns; /* a reachable return; NULL: none */
};

void reachable_init(struct reachable *reach, struct pass_run *run, LLVMValueRef function);
/* Adds the instructions reachable from `first`, including it. False: out of memory. */
bool reachable_from(struct reachable *reach, LLVMValueRef first);
/* Adds the instructions between `first` and `last` on paths that execute `first` once. `first` dominates `last`. */
bool reachable_between(struct reachable *reach, LLVMValueRef first, LLVMValueRef last);
bool reachable_has(const struct reachable *reach, LLVMValueRef instruction);
/* The index of the successor for a result of the suspend that alone decides it, possibly through casts and comparisons;
   CONSTANT_SUCCESSOR_UNKNOWN: not known. */
unsigned suspend_result_successor(const struct pass_run *run, LLVMValueRef terminator, int result);
/* Adds the exit path of a suspend: the code executed when the coroutine suspends there. If no terminator tests the
   result directly, this is all code after it. */
bool reachable_when_suspending(struct reachable *reach, LLVMValueRef suspend);

#endif
