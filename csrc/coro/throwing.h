/* Thrown: what is thrown in its turn while something is destroyed that an exception has ended. A destructor that
   catches it goes on as if nothing had been thrown. What it does not catch has to be handed on, other than the
   exception that has ended the coroutine, which is not there any more; both may come to one `resume`.
   Needs: number, shape, a graph, the nodes and blocks of the destruction. Leaves: the function as it was. */
#ifndef CORO_CORO_THROWING_H
#define CORO_CORO_THROWING_H

#include "base/bits.h"
#include "coro/shape.h"

struct coro_cfg;

struct thrown {
  const struct ir_fn *fn;
  const struct coro_shape *shape;
  const struct coro_cfg *cfg;
  const struct coro_bits *way; /* by node: run where nothing else is thrown */
  const struct coro_bits *hands_on; /* by block: does nothing but hand the exception on */
};

/* `apart`: wherever the way hands an exception on, that is the one which has ended the coroutine. False: memory ran
   out. */
bool thrown_told_apart(const struct thrown *t, struct coro_arena *arena, bool *apart);

#endif
