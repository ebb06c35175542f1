/* Finds the instructions that are reachable from an instruction, or on paths between two of them. The cost is
   proportional to the number of instructions found.
   Requires: ir, clones.
   Guarantees: the function is unchanged. */
#pragma once

#include "ir/constant_fold.h"
#include "run/clones.h"

struct reachable {
  struct pass_run *run;
  LLVMValueRef function;
  bool stops_at_begin; /* paths stop at the function's own coro.begin, which is included */
  bool assumes_given_frame; /* the caller provides the frame: coro.alloc is false */
  struct coro_map found; /* instructions */
  LLVMValueRef returns; /* a reachable return; NULL: none */
};

void reachable_init(struct reachable *reach, struct pass_run *run, LLVMValueRef function);
/* Adds the instructions reachable from `first`, including it. False: out of memory. */
bool reachable_add_from(struct reachable *reach, LLVMValueRef first);
/* Adds the instructions on paths from `first` to `last`, without both, that do not pass `first` again. `first`
   dominates `last`. */
bool reachable_add_strictly_between(struct reachable *reach, LLVMValueRef first, LLVMValueRef last);
bool reachable_contains(const struct reachable *reach, LLVMValueRef instruction);
/* The index of the successor that a terminator takes for a result of llvm.coro.suspend, if that alone decides it,
   perhaps through casts and comparisons; else CONSTANT_SUCCESSOR_UNKNOWN. */
unsigned successor_for_suspend_result_or_unknown(const struct pass_run *run, LLVMValueRef terminator, int result);
/* Adds the code executed when the coroutine suspends at `suspend`: from the successor for -1, if the result decides the
   terminator after it; otherwise all code after it. */
bool reachable_add_when_suspending(struct reachable *reach, LLVMValueRef suspend);
