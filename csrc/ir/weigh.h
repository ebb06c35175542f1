/* Weigh: how likely each way out of a block is, where whoever makes the branch knows.
   Needs: LLVM-C. Leaves: a branch that goes where it went. */
#ifndef CORO_IR_WEIGH_H
#define CORO_IR_WEIGH_H

#include "base/arena.h"
#include "llvm-c/Core.h"

/* Likelihoods of ways, relative to each other. */
enum { WEIGH_NEVER = 0, WEIGH_RARE = 1, WEIGH_USUAL = (1 << 20) - 1 }; /* rare: as LLVM takes it that a call throws */

/* One likelihood for each successor of the terminator. Says nothing where memory ran out, which the arena remembers. */
void weigh_ways(struct coro_arena *arena, LLVMValueRef terminator, const uint32_t *likely);

#endif
