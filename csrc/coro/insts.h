/* Insts: lists of instructions by number, which is their place in the program.
   Needs: base. Leaves: see each function. */
#ifndef CORO_CORO_INSTS_H
#define CORO_CORO_INSTS_H

#include "base/vec.h"

typedef CORO_VEC(uint32_t) coro_insts;

void coro_insts_sort(coro_insts *insts); /* in program order, as the following need them */

uint32_t coro_insts_before(const coro_insts *insts, uint32_t inst); /* how many stand before it */

static inline bool coro_insts_any(const coro_insts *insts, uint32_t first, uint32_t end) /* one is in [first, end) */
{
  return coro_insts_before(insts, first) < coro_insts_before(insts, end);
}

#endif
