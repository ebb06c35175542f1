/* Stage `remat`: decides which values are rematerialized after a suspend instead of spilled. A value is recomputed if a
   chain of at most 4 cheap instructions (16 if an ABI has the policy `rematerialize`) computes it from values that are
   available after the suspend anyway. An additional value is spilled for this purpose in two cases only:
   - the ABI has no policy about values (`rematerialize`, `keep_in_frame`), and spilling the one value makes others
     recomputable that have more bytes in total;
   - the ABI forces a rematerialization: its operands are spilled.
   Requires: number, shape, select_abi, cfg, crossing, frame_allocas.
   Guarantees: each value that is live across a suspend is spilled or rematerialized. The cost is linear in the
   instructions and their operands, times the limit of a chain. */
#pragma once

#include "lowering/crossing.h"

struct coro_lowering;

struct coro_remat {
  struct coro_bits rematerialized; /* set of rematerialized values */
  struct coro_bits spilled; /* set of spilled values, for their own uses or as operands of rematerialized ones */
  uint32_t *use; /* indexed by value: the use that decided it, as in crossing */
};

coro_status coro_run_remat_stage(struct coro_lowering *low);
