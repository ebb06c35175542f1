/* Sorted lists of instruction ids (ir/number.h), which are in program order.
   Requires: base. */
#pragma once

#include "base/vec.h"

typedef CORO_VEC(uint32_t) coro_insts;

void coro_insts_sort(coro_insts *insts); /* sorts in program order, as required by the following functions */

uint32_t coro_insts_count_before(const coro_insts *insts, uint32_t inst); /* number of entries before it */

/* whether an entry is in [first, end) */
static inline bool coro_insts_has_any_in_range(const coro_insts *insts, uint32_t first, uint32_t end)
{
  return coro_insts_count_before(insts, first) < coro_insts_count_before(insts, end);
}
