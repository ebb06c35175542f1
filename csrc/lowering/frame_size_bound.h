/* Lower bound for the size of any layout of a frame, for reports: the maximal sum of sizes of simultaneously live
   fields, at least that of the header, rounded up to the frame's alignment.
   Requires: layout; live ranges (low->wants_live).
   Guarantees: the lowering is unchanged. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct coro_lowering;

/* False: out of memory. */
bool coro_frame_size_lower_bound(struct coro_arena *arena, const struct coro_lowering *low, uint64_t *bound);
