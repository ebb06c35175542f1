/* Last pads: landing pads from which control goes nowhere, as where an exception leaves a function that may let none
   out. Every such function that is inlined brings one along.
   Needs: a function that verifies. Leaves: one that verifies. */
#ifndef CORO_IR_LAST_PADS_H
#define CORO_IR_LAST_PADS_H

#include "base/arena.h"
#include "llvm-c/Core.h"

/* Some of them do the same. Where memory ran out, which the arena remembers, none do. */
bool last_pads_alike(struct coro_arena *arena, LLVMValueRef function);
/* Makes one of those that do the same. It has no debug records, and is at no line where they are not all at one. Sets
   *changed where there were any. False: memory ran out. */
bool last_pads_join(struct coro_arena *arena, LLVMValueRef function, bool *changed);

#endif
