/* Finds per-iteration allocas: of constant size, but each execution needs distinct memory. They are in a loop, and
   memory of one iteration may be used in a later one, because its address escapes or a phi carries it around the loop.
   If the lifetime ends before the next iteration, no such use is possible. Memory for inalloca arguments counts as
   well: it must be on the stack directly before the call. alloca.h says where they are placed.
   Requires: number, shape, cfg; crossing.for_arguments.
   Guarantees: a set of values. Walks are limited to 64 steps per node; beyond, lifetimes count as endless. */
#pragma once

#include "base/bits.h"

struct coro_lowering;

/* Computes the set of such allocas; empty if there are none. False: out of memory. */
bool coro_find_per_iteration_allocas(struct coro_lowering *low, struct coro_bits *per_iteration);
