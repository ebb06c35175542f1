/* Rematerialisation: values that are cheaper to compute again than to keep in the frame.
   Needs: number, shape, choose, cfg, crossing, variables. Leaves: for every crossing value whether it is kept or made
   again. A value is made again only out of what is there anyway, so that no operand is forced into the frame for it;
   but one is kept in place of others that it alone makes again where that takes fewer bytes, and an ABI may insist. */
#ifndef CORO_CORO_REMAT_H
#define CORO_CORO_REMAT_H

#include "coro/crossing.h"

struct coro_remat {
  struct coro_bits again; /* by value: made again where it is needed */
  struct coro_bits kept;  /* by value: kept in the frame, for itself or for what is made again of it */
  uint32_t *use; /* by value that is kept or made again: as that of the crossing */
};

coro_status coro_remat(struct coro_lowering *low);

#endif
