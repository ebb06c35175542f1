/* Tails: ends of a function that do the same stand in it once.
   Needs: a function that verifies. Leaves: one that verifies, and does as before. */
#ifndef CORO_IR_TAILS_H
#define CORO_IR_TAILS_H

#include "base/arena.h"
#include "llvm-c/Core.h"

/* Ways lead to another block instead, if from there on the very same is done as where they lead now; what nobody comes
   to any more goes. Up to a limit, so that a large function costs little more than to go through its blocks: those that
   it leads to last at its beginning come first. *changed is set to true where something was done. False: memory ran
   out. */
bool tails_share(struct coro_arena *arena, LLVMValueRef function, bool *changed);

#endif
