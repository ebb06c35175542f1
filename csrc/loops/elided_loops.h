/* Shortens the dependency chains from one iteration to the next in loops of functions that drive elided coroutines
   (predictable_select.h, carried_sum.h). This is the last step, because LLVM's passes could undo it.
   Requires: a function that verifies. Guarantees: the function verifies. */
#pragma once

#include "run/pass.h"

/* Marks a function for optimize_loops_of_marked_function. The mark is an attribute, so that it is kept when the
   function moves to another module. */
void mark_function_for_loop_optimization(LLVMValueRef function);
/* In a marked function that is optimized, and not for size: shortens the chains of carried sums and converts
   predictable selects to branches. Removes the mark. *changed: the function has changed. False: out of memory. */
bool optimize_loops_of_marked_function(struct pass_run *run, LLVMValueRef function, bool *changed);
