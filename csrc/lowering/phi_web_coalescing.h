/* Coalescing of phi webs by union-find: groups the fields of values that a phi merges, if their size and alignment are
   equal. The packing (graph/pack.c) gives a group one offset if live ranges permit it and the frame does not grow. A
   reload then does not depend on the path, and blocks that only differ in reloads become equal.
   Requires: number, fields.
   Guarantees: a group for each field. */
#pragma once

#include "lowering/lowering.h"

/* Indexed by field: a number common to the fields of one web; 0: not in a web. NULL: out of memory. */
uint32_t *coro_phi_web_of_each_field(const struct coro_lowering *low);
