/* Coalescing of phi webs: groups fields of values that a phi merges, so that the layout gives a group one offset if
   that costs no bytes and live ranges permit it. A reload then does not depend on the path, and blocks that only differ
   in reloads become equal.
   Requires: number, fields.
   Guarantees: a group for each field. */
#ifndef CORO_LOWERING_PHI_WEB_COALESCING_H
#define CORO_LOWERING_PHI_WEB_COALESCING_H

#include "lowering/lowering.h"

/* Indexed by field: a number common to the fields of one web; 0: not in a web. NULL: out of memory. */
uint32_t *coro_phi_webs(const struct coro_lowering *low);

#endif
