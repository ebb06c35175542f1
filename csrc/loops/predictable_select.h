/* Turns selects of a loop back into branches if the processor predicts their conditions. LLVM folds a branch around a
   few instructions into a select. Then the dependency chain from one iteration to the next contains the select and its
   operands, whichever operand it selects:

     %kept = phi i32 [ 0, %entry ], [ %next, %loop ]      ; before: a chain of 3 instructions per iteration
     %sum = add i32 %rotated, %i
     %next = select i1 %accepted, i32 %sum, i32 %kept     ; after: 2 instructions if %accepted is true, else none

   A filter over an elided generator is such a loop. The branch is faster if it is predicted, and much slower if not.
   Hence selects are converted only if their condition is certain to be predicted: comparisons of a counter with a
   loop-invariant value, of its remainder by a small constant, and operations on these.
   Requires: a function that verifies, after the last pass that folds branches.
   Guarantees: the function verifies. Linear in its size. */
#pragma once

#include "base/arena.h"
#include "llvm-c/Core.h"

/* Processes the loops of one block. False: out of memory. */
bool predictable_selects_to_branches(struct coro_arena *arena, LLVMBuilderRef builder, LLVMValueRef function);
