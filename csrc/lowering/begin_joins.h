/* Finds joins in the ramp of paths with and without coro.begin, for instance after an allocation that may fail. At such
   a join a frame-resident alloca is in the frame or still on the stack, depending on the path.
   Requires: cfg.
   Guarantees: a join for each node; the function is unchanged. */
#ifndef CORO_LOWERING_BEGIN_JOINS_H
#define CORO_LOWERING_BEGIN_JOINS_H

#include <stdbool.h>
#include <stdint.h>

struct coro_lowering;

/* Indexed by node: the last such join that dominates it; IR_NONE if all its paths agree. NULL: there are no joins.
   False: out of memory. */
bool coro_find_begin_joins(const struct coro_lowering *low, uint32_t **begin_joins);

#endif
