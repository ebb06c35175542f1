/* The last step for functions that drive elided coroutines: code generators compile their loops to shorter dependency
   chains after it (predictable_select.h, carried_sum.h). LLVM's passes could undo it.
   Requires: a function that verifies. Guarantees: the function verifies. */
#ifndef CORO_LOOPS_ELIDED_LOOPS_H
#define CORO_LOOPS_ELIDED_LOOPS_H

#include "run/pass.h"

/* Marks a function for elided_loops_finish. The mark is an attribute, which remains with the function while LLVM's
   passes move it between modules. */
void elided_loops_mark(LLVMValueRef function);
/* Processes a marked function that is optimized, and not for size; and removes the mark. *changed: the function has
   changed. False: out of memory. */
bool elided_loops_finish(struct pass_run *run, LLVMValueRef function, bool *changed);

#endif
