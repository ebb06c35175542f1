/* For the exception: what is there for the exception alone that has ended a coroutine. It is not there any more when
   the coroutine is destroyed.
   Needs: number, shape, the blocks of the cleanup. Leaves: the function as it was. */
#ifndef CORO_CORO_FOR_EXCEPTION_H
#define CORO_CORO_FOR_EXCEPTION_H

#include "base/bits.h"
#include "coro/shape.h"

struct for_exception {
  const struct ir_fn *fn;
  const struct coro_shape *shape;
  struct coro_bits *released; /* by instruction, filled: nothing needs it but what propagates the exception */
  const struct coro_bits *within; /* by block: the others stay; NULL: wherever it is, but no load, which is run */
};

/* Blocks that end in `resume`, and those that do nothing but lead there. */
void for_exception_blocks(const struct ir_fn *fn, const struct coro_shape *shape, struct coro_bits *eh_resume);
/* Of a cleanup that only the ramp and destroy run, which returns where the exception would propagate: at a `resume` in
   `within`, and in front of `eh_resume`. Its pads are released too. False: memory ran out. */
bool for_exception_own(const struct for_exception *x, struct coro_arena *arena, const struct coro_bits *eh_resume);
/* Of one that is shared, in all blocks: a destroy that has begun behind an end returns in front of the `resume`. False:
   memory ran out. */
bool for_exception_shared(const struct for_exception *x, struct coro_arena *arena);

#endif
