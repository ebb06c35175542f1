/* Finds allocas of constant size inside loops that need distinct memory per iteration: an earlier iteration's memory
   may still be used, because its address escapes or is carried around the loop. If its lifetime ends before control
   returns to the alloca, one memory location suffices.
   Requires: number, shape, cfg.
   Guarantees: a set of values; the function is unchanged. */
#ifndef CORO_CORO_ANEW_H
#define CORO_CORO_ANEW_H

#include "base/bits.h"

struct coro_lowering;

/* Computes the set of such allocas; empty if there are none. False: out of memory. */
bool coro_find_anew(struct coro_lowering *low, struct coro_bits *anew);

#endif
