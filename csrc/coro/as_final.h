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
};

/* From the destroy way of the final suspend, and from the ramp's way out of `block`, control goes through the same
   instructions, up to where the former leaves the coroutine and the latter lets the exception propagate. False: memory
   ran out. */
bool as_final(const struct as_final *a, struct coro_arena *arena, uint32_t block, bool *same);

#endif
