/* Sets branch weights (!prof metadata) on terminators.
   Requires: LLVM-C. Guarantees: only the !prof metadata changes. */
#ifndef CORO_IR_WEIGH_H
#define CORO_IR_WEIGH_H

#include "base/arena.h"
#include "llvm-c/Core.h"

/* Relative weights of edges. */
enum { WEIGH_NEVER = 0, WEIGH_RARE = 1, WEIGH_USUAL = (1 << 20) - 1 }; /* WEIGH_RARE: LLVM's default for unwind edges */

/* `likely` has one weight per successor. Does nothing if memory runs out, which the arena records. */
void weigh_ways(struct coro_arena *arena, LLVMValueRef terminator, const uint32_t *likely);

#endif
