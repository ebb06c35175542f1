/* Throwing: what the cleanup behind an unwind end throws in its turn. A destructor that catches it goes on as if
   nothing had been thrown. What it does not catch has to propagate, other than the exception that has ended the
   coroutine, which is not there any more; both may come to one `resume`.
   Needs: number, shape, a graph, the nodes and blocks of the cleanup. Leaves: the function as it was. */
#ifndef CORO_CORO_THROWING_H
#define CORO_CORO_THROWING_H

#include "coro/cfg.h"

struct throwing {
  const struct ir_fn *fn;
  const struct coro_shape *shape;
  const struct coro_cfg *cfg;
  const struct coro_bits *cleanup; /* by node: run where the cleanup throws nothing */
  const struct coro_bits *eh_resume; /* by block: propagates the exception, and does nothing else */
  struct coro_bits *thrown; /* by block, made here: its `resume` propagates what the cleanup has thrown, if distinct */
};

/* `distinct`: wherever the cleanup propagates an exception, that is the one which has ended the coroutine. False:
   memory ran out. */
bool throwing_is_distinct(const struct throwing *t, struct coro_arena *arena, bool *distinct);

#endif
