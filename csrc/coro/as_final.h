/* As final: whether destroying a coroutine that an exception has ended is what destroying it at its final suspend is.
   Needs: number, shape. Leaves: the function as it was. */
#ifndef CORO_CORO_AS_FINAL_H
#define CORO_CORO_AS_FINAL_H

#include "base/bits.h"
#include "coro/shape.h"

struct as_final {
  const struct ir_fn *fn;
  const struct coro_shape *shape;
  const struct coro_bits *eh_resume; /* by block: propagates the exception, and does nothing else */
  uint32_t from, to; /* blocks: from there destroy comes from the final suspend to its cleanup, or IR_NONE */
  uint32_t *entry; /* by block from which control comes to it: which entry the first phi has for that */
  struct coro_bits seen; /* by block, in a walk under way */
};

/* Given what is above `from`. False: memory ran out. */
bool as_final_begin(struct as_final *a, struct coro_arena *arena);
/* From the destroy way of the final suspend, and from the ramp's way out of `block`, control goes through the same
   instructions, up to where the former leaves the coroutine and the latter lets the exception propagate. False: memory
   ran out. */
bool as_final(struct as_final *a, struct coro_arena *arena, uint32_t block, bool *same);

#endif
