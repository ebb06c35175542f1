/* A loop around a loop as one loop, where little is done in the outer one.
   Needs: ir. Leaves: IR that verifies, given IR that did. */
#ifndef CORO_PASS_LATCH_H
#define CORO_PASS_LATCH_H

#include "pass/pass.h"

/* What drives a generator that leaves elements out is a loop around the one that looks for the next element. Both begin
   where that one goes on or is left, so that what is done with an element stays behind a branch. It is a select's two
   ways once both ways meet in one block, the only one that leads back. *changed: there was such a loop. False: memory
   ran out. */
bool latch_join(struct pass_run *run, LLVMValueRef function, bool *changed);

#endif
