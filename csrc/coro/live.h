/* Live: which fields of the frame are needed at which suspend.
   Needs: all stages up to the frame. Leaves: one bit for each field and suspend; only reports ask for it. */
#ifndef CORO_CORO_LIVE_H
#define CORO_CORO_LIVE_H

#include "coro/lowering.h"

struct coro_live {
  struct coro_bits bits; /* field * suspend_count + suspend */
  uint32_t suspend_count;
};

/* A field of the frame is needed by instruction `inst`, when control is in `node`. */
struct coro_field_use {
  uint32_t field, node, inst;
};
typedef bool coro_field_use_fn(void *user, const struct coro_field_use *use);
/* Calls visit for every use of a field in a clone, also for those by values that are made again out of it. Stops when
   it returns false. */
bool coro_each_field_use(const struct coro_lowering *low, coro_field_use_fn *visit, void *user);

bool live_find(struct coro_live *live, struct coro_arena *arena, const struct coro_lowering *low);
bool live_at(const struct coro_live *live, uint32_t field, uint32_t suspend);
uint32_t live_first(const struct coro_live *live, uint32_t field); /* CORO_NONE where it is live at none */

#endif
