/* Rematerialisation: values that are cheaper to compute again than to keep in the frame.
   Needs: number, shape, cfg, crossing. Leaves: for every crossing value whether it is kept or made again. A value is
   made again only out of what is there anyway, so that no operand is forced into the frame for it; but an ABI may
   insist. */
#ifndef CORO_CORO_REMAT_H
#define CORO_CORO_REMAT_H

#include "coro/crossing.h"

struct coro_remat {
  struct coro_bits again; /* by value: made again where it is needed */
};

/* Who says which instructions may be made again, instead of a list of cheap ones. */
struct coro_remat_policy {
  /* *again holds what the list says. Another status than CORO_OK ends the choosing. Asked once for each instruction
     that a copy can stand in for. */
  coro_status (*may)(void *user, uint32_t inst, bool *again);
  void *user;
};

/* `policy` may be NULL. ENOMEM, or what the policy said. */
coro_status coro_remat_choose(struct coro_remat *remat, struct coro_arena *arena, const struct ir_fn *fn,
                              const struct coro_shape *shape, const struct coro_cfg *cfg,
                              struct coro_crossing *crossing, const struct coro_remat_policy *policy);

#endif
