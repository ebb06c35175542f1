/* Live: which fields of the frame are needed at which suspend.
   Needs: all stages up to the frame. Leaves: one bit for each field and suspend; only reports ask for it. */
#ifndef CORO_CORO_LIVE_H
#define CORO_CORO_LIVE_H

#include "coro/lowering.h"

struct coro_live {
  struct coro_bits bits; /* field * suspend_count + suspend */
  uint32_t suspend_count;
};

bool live_find(struct coro_live *live, struct coro_arena *arena, const struct coro_lowering *low);
bool live_at(const struct coro_live *live, uint32_t field, uint32_t suspend);
uint32_t live_first(const struct coro_live *live, uint32_t field); /* CORO_NONE where it is live at none */

#endif
