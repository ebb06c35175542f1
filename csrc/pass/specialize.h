/* A function specialized by what is known of its phis.
   Needs: ir, graph. Leaves: IR that verifies, given IR that did. */
#ifndef CORO_PASS_SPECIALIZE_H
#define CORO_PASS_SPECIALIZE_H

#include "pass/pass.h"

/* Where a coroutine was inlined into the loop that drives it, its state is what phis choose from constants, and is
   asked for each time. Each block is left once for each state in which it asks, so that nothing asks any more and
   no state is kept; what does the same in the same state is there once, whichever way control came to it. Nothing
   is done where nothing is known, where a block would be there twice that may not be, or where the function would
   grow out of proportion. *changed: something was done. False: memory ran out. */
bool specialize(struct pass_run *run, LLVMValueRef function, bool *changed);

#endif
