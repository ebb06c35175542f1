/* Turns selects of a loop back into branches if the processor predicts their conditions. LLVM folds a branch around a
   few instructions into a select, whose operands then lengthen the dependency chain from one iteration to the next:

     %kept = phi i32 [ 0, %entry ], [ %next, %loop ]      before: 3 instructions per iteration, taken or not
     %sum = add i32 %rotated, %i
     %next = select i1 %accepted, i32 %sum, i32 %kept     after: 2 if %accepted, else 0

   A filter over an elided generator is such a loop. The branch is better if it is predicted, and much worse if not.
   Hence only conditions that repeat in a short period are selected: comparisons of a counter with a loop-invariant
   value, of its remainder by a small constant, and operations on these.
   Requires: a function that verifies, after the last pass that folds branches.
   Guarantees: the function verifies. Linear in its size. */
#ifndef CORO_LOOPS_PREDICTABLE_SELECT_H
#define CORO_LOOPS_PREDICTABLE_SELECT_H

#include "base/arena.h"
#include "llvm-c/Core.h"

/* Processes the loops of one block. False: out of memory. */
bool predictable_selects_to_branches(struct coro_arena *arena, LLVMBuilderRef builder, LLVMValueRef function);

#endif
