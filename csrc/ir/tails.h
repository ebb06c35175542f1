/* Tails: ends of a function that do the same stand in it once.
   Needs: a function that verifies. Leaves: one that verifies, and does as before. */
#ifndef CORO_IR_TAILS_H
#define CORO_IR_TAILS_H

#include "base/arena.h"
#include "llvm-c/Core.h"

/* Ways on from the first blocks of the function lead to another block instead, if from there on the very same is done
   as where they lead now; what nobody comes to any more goes. Costs no more than to look at each block a few times; of
   many ways the last are looked at. *changed is set to true where something was done. False: memory ran out. */
bool tails_share(struct coro_arena *arena, LLVMValueRef function, bool *changed);

#endif
