/* The last step for functions that drive elided coroutines: code generators compile their loops to shorter dependency
   chains after it (predictable_select.h, carried_sum.h). LLVM's passes could undo it.
   Requires: a function that verifies. Guarantees: the function verifies. */
#ifndef CORO_LOOPS_ELIDED_LOOPS_H
#define CORO_LOOPS_ELIDED_LOOPS_H

#include "run/pass.h"

/* Marks a function for the function below. The mark is an attribute, which remains with the function while LLVM's
   passes move it between modules. */
void mark_function_for_loop_optimization(LLVMValueRef function);
/* In a marked function that is optimized, and not for size: shortens the chains of carried sums and converts
   predictable selects to branches. Removes the mark. *changed: the function has changed. False: out of memory. */
bool optimize_loops_of_marked_function(struct pass_run *run, LLVMValueRef function, bool *changed);

#endif
