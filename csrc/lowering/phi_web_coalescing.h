/* Coalescing of phi webs: fields whose values are merged by a phi should share one offset.
   Requires: number, fields.
   Guarantees: the frame is unchanged. */
#ifndef CORO_LOWERING_PHI_WEB_COALESCING_H
#define CORO_LOWERING_PHI_WEB_COALESCING_H

#include "lowering/lowering.h"

/* Indexed by field: a number common to the fields of one web; 0: not in a web. NULL: out of memory. */
uint32_t *coro_phi_webs(const struct coro_lowering *low);

#endif
