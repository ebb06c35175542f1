/* Stage `remat`: decides which values are rematerialized after a suspend instead of spilled. A value is only recomputed
   from values that are available anyway, so no operand is spilled for it. Exceptions: one value may be spilled in place
   of several larger ones computed from it, and an ABI may force it.
   Requires: number, shape, select_abi, cfg, crossing, frame_allocas.
   Guarantees: each value that is live across a suspend is spilled or rematerialized. */
#ifndef CORO_LOWERING_REMAT_H
#define CORO_LOWERING_REMAT_H

#include "lowering/crossing.h"

struct coro_lowering;

struct coro_remat {
  struct coro_bits rematerialized; /* set of rematerialized values */
  struct coro_bits spilled; /* set of spilled values, for their own uses or as operands of rematerialized ones */
  uint32_t *use; /* indexed by value: the use that decided it, as in crossing */
};

coro_status coro_remat(struct coro_lowering *low);

#endif
