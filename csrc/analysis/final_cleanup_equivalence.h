/* Whether destroying a coroutine ended by an exception executes the same code as destroying it at its final suspend.
   Requires: number, shape.
   Guarantees: the function is unchanged. */
#ifndef CORO_ANALYSIS_FINAL_CLEANUP_EQUIVALENCE_H
#define CORO_ANALYSIS_FINAL_CLEANUP_EQUIVALENCE_H

#include "analysis/shape.h"
#include "base/bits.h"
#include "graph/worklist.h"

struct final_cleanup {
  const struct ir_fn *fn;
  const struct coro_shape *shape;
  const struct coro_bits *eh_resume; /* set of blocks that only propagate the exception */
  uint32_t from, to; /* the edge by which destroy enters the cleanup from the final suspend, or IR_NONE */
  uint32_t *entry; /* indexed by predecessor block: entry of the first phi */
  struct worklist blocks; /* executed on both paths of the current comparison */
};

/* Initializes it; the members above `from` are set. False: out of memory. */
bool final_cleanup_init(struct final_cleanup *a, struct coro_arena *arena);
/* Whether the destroy path of the final suspend and the ramp's exception path from `block` execute the same
   instructions until one leaves the coroutine and the other propagates the exception. False: out of memory. */
bool final_cleanup_is_equivalent(struct final_cleanup *a, struct coro_arena *arena, uint32_t block, bool *same);

#endif
