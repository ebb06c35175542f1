/* Sets branch weights (!prof metadata) on terminators.
   Requires: LLVM-C. Guarantees: only the !prof metadata changes. */
#pragma once

#include "base/arena.h"
#include "llvm-c/Core.h"

/* Relative weights of edges. */
enum {
  BRANCH_WEIGHT_NEVER = 0,
  BRANCH_WEIGHT_RARE = 1,
  BRANCH_WEIGHT_LIKELY = (1 << 20) - 1
}; /* BRANCH_WEIGHT_RARE: LLVM's default for unwind edges */

/* `weights` has one per successor. Does nothing if memory runs out, which the arena records. */
void set_branch_weights(struct coro_arena *arena, LLVMValueRef terminator, const uint32_t *weights);
