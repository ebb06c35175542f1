/* Rematerialisation: values that are cheaper to compute again than to keep in the frame.
   Needs: number, shape, cfg, crossing. Leaves: for every crossing value whether it is kept or made again. A value is
   made again only out of what is there anyway, so that no operand is forced into the frame for it. */
#ifndef CORO_CORO_REMAT_H
#define CORO_CORO_REMAT_H

#include "coro/crossing.h"

struct coro_remat {
  struct coro_bits again; /* by value: made again where it is needed */
};

bool coro_remat_choose(struct coro_remat *remat, struct coro_arena *arena, const struct ir_fn *fn,
                       const struct coro_shape *shape, const struct coro_cfg *cfg,
                       const struct coro_crossing *crossing);

#endif
