/* Exceptions thrown by the cleanup after an unwind end. A destructor that catches its exception continues normally. An
   exception that it does not catch must propagate, unlike the exception that ended the coroutine, which no longer
   exists at destruction; both may reach the same `resume`.
   Requires: number, shape, a graph, the nodes and blocks of the cleanup.
   Guarantees: the function is unchanged. */
#ifndef CORO_ANALYSIS_CLEANUP_EXCEPTIONS_H
#define CORO_ANALYSIS_CLEANUP_EXCEPTIONS_H

#include "analysis/cfg.h"

struct cleanup_exceptions {
  const struct ir_fn *fn;
  const struct coro_shape *shape;
  const struct coro_cfg *cfg;
  const struct coro_bits *cleanup; /* set of nodes executed if the cleanup does not throw */
  const struct coro_bits *eh_resume; /* set of blocks that only propagate the exception */
  /* result: set of blocks whose `resume` propagates an exception of the cleanup, if `distinct` */
  struct coro_bits *thrown;
};

/* Sets *distinct if exceptions that the cleanup itself throws and propagates can be told from the one that ended the
   coroutine. That is not so if a handler continues in the cleanup and a `resume` of the cleanup propagates such an
   exception, or the handler also frees the frame. False: out of memory. */
bool cleanup_exceptions_are_distinct(const struct cleanup_exceptions *t, struct coro_arena *arena, bool *distinct);

#endif
