/* Finds allocas of constant size that need new memory each time they are executed, so that alloca.c places them on the
   heap or leaves them dynamic. They are in a loop, and memory of one iteration may be used in a later one, because its
   address escapes or a phi carries it around the loop. If the lifetime ends before the next iteration, no such use is
   possible, even if the address escapes. Memory for inalloca arguments also counts: it must be on the stack directly
   before the call.
   Requires: number, shape, cfg.
   Guarantees: a set of values. */
#ifndef CORO_LOWERING_PER_ITERATION_ALLOCAS_H
#define CORO_LOWERING_PER_ITERATION_ALLOCAS_H

#include "base/bits.h"

struct coro_lowering;

/* Computes the set of such allocas; empty if there are none. False: out of memory. */
bool coro_find_per_iteration_allocas(struct coro_lowering *low, struct coro_bits *per_iteration);

#endif
