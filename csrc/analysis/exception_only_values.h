/* Finds instructions that only serve the propagation of an exception. They are unused when a coroutine ended by an
   exception is destroyed.
   Requires: number, shape, the blocks of the cleanup.
   Guarantees: the function is unchanged. */
#ifndef CORO_ANALYSIS_EXCEPTION_ONLY_VALUES_H
#define CORO_ANALYSIS_EXCEPTION_ONLY_VALUES_H

#include "analysis/shape.h"
#include "base/bits.h"

struct exception_only {
  const struct ir_fn *fn;
  const struct coro_shape *shape;
  struct coro_bits *released; /* result: set of instructions used only by the propagation */
  const struct coro_bits *within; /* set of blocks to search; NULL: all blocks, but loads stay */
};

/* Finds blocks that end in `resume`, and those that only branch to them. */
void exception_only_blocks(const struct ir_fn *fn, const struct coro_shape *shape, struct coro_bits *eh_resume);
/* For a cleanup that only the ramp and destroy execute, and that returns instead of propagating: at a `resume` in
   `within`, and before `eh_resume`. Releases its pads, too. False: out of memory. */
bool exception_only_in_own_cleanup(const struct exception_only *x, struct coro_arena *arena,
                                   const struct coro_bits *eh_resume);
/* For a shared cleanup, in all blocks: a destroy that started after an end returns before the `resume`. False: out
   of memory. */
bool exception_only_in_shared_cleanup(const struct exception_only *x, struct coro_arena *arena);

#endif
