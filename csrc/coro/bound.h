/* Bound: the size that no layout of a frame can be below: the widest set of fields that are needed at one place, be it
   a suspend or between two of them, no less than the header, rounded up to the frame's alignment.
   Needs: fields, where they are live, and the frame's alignment. Leaves: nothing changed. */
#ifndef CORO_CORO_BOUND_H
#define CORO_CORO_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct coro_lowering;

/* False: memory ran out. */
bool coro_frame_bound(struct coro_arena *arena, const struct coro_lowering *low, uint64_t *bound);

#endif
